import { estimateTokenCount } from 'tokenx';
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidInput, ServiceError } from '../errors.ts';
import { countWords, sentencesOf } from '../text/segment.ts';
import { accepted, type Expected } from './answer.ts';
import { ModelFault, type ChatModel, type Message } from './chat.ts';
import type { RewriteRequest, SummaryRequest, TextEngine } from './engine.ts';
import { partsOf } from './parts.ts';
import { rewritePrompt, summaryPrompt } from './prompts.ts';

export interface Limits {
  /** Context window in tokens, for prompt and completion together. */
  context: number;
  /** Milliseconds for one completion. */
  timeoutMs: number;
  /** Aborts all requests to the model. */
  signal?: AbortSignal;
}

/** Largest number of parts of one text. */
const maxParts = 32;
/** Concurrent requests to the model for one text. */
const maxConcurrentParts = 4;
/** Tokens reserved for the instructions in a prompt. */
const instructionTokens = 400;
/** Words in the summary of a part. The summary of a long text is made from these. */
const partSummaryWords = 250;
/** In texts of fewer words than this, a rewriting may replace every word. */
const briefTextWords = 20;
/** Largest part to rewrite in tokens, so that the model finishes before the timeout. */
const maxRewriteTokens = 2000;

/** Returns a text engine that uses a chat model. */
export function promptedEngine(model: ChatModel, limits: Limits): TextEngine {
  // Reasoning counts as completion, and some models cannot be told not to reason.
  const reasoningTokens = Math.min(2000, Math.floor(limits.context / 8));
  return {
    name: model.name,
    async summarize(request) {
      // A text without words cannot be summarized.
      if (countWords(request.text) === 0) return [request.text];
      const reserved = instructionTokens + reasoningTokens + tokensFor(partSummaryWords);
      const parts = withinPartLimit(partsOf(request.text, limits.context - reserved));
      const digest = parts.length === 1 ? request.text : await digestOf(parts);
      return pointsOf(await summary({ ...request, text: digest }), request.style);
    },
    async rewrite({ text, target }) {
      if (countWords(text) === 0) return text;
      const most = Math.min(maxRewriteTokens, Math.floor((limits.context - instructionTokens) / 4));
      const parts = withinPartLimit(partsOf(text, most));
      const answers = await mapParts(parts, (part) => rewriting(part, target));
      return answers.join('\n\n');
    },
  };

  async function digestOf(parts: string[]): Promise<string> {
    const about = Math.min(partSummaryWords, Math.floor(limits.context / 4 / parts.length));
    const summaries = await mapParts(parts, (text) =>
      summary({ text, style: 'paragraph', about, most: Infinity }),
    );
    return summaries.join('\n\n');
  }

  async function summary({ text, style, about, most }: SummaryRequest): Promise<string> {
    const words = countWords(text);
    const wanted = Math.min(about, most);
    return ask((nonce) => summaryPrompt(text, style, wanted, nonce), tokensFor(wanted), {
      text,
      // An answer of one or two words is probably the effect of an instruction in the text.
      least: words > 60 && wanted > 12 ? 4 : 1,
      most: Math.max(words, 30),
      // 95 % of the one-sentence summaries of papers that people wrote have a share of at least 0.29.
      grounded: (said) => (words < briefTextWords ? 0 : 0.25 + 1 / said),
      kept: [],
      mayBeCut: true,
    });
  }

  async function rewriting(text: string, target: RewriteRequest['target']): Promise<string> {
    const words = countWords(text);
    const tokens = estimateTokenCount(text) * (target === 'expanded' ? 4 : 2) + 200;
    return ask((nonce) => rewritePrompt(text, target, nonce), tokens, {
      text,
      least: words < briefTextWords ? 1 : words / 6,
      most: words < briefTextWords ? 200 : words * 5,
      grounded: () => (words < briefTextWords ? 0 : 0.15),
      // A concise version may drop links and code.
      kept: target === 'concise' ? [] : (text.match(linkOrCode) ?? []),
      mayBeCut: false,
    });
  }

  /** Asks the model, and retries once when there is no usable answer. Throws `unavailable`. */
  async function ask(
    messages: (nonce: string) => Message[],
    maxTokens: number,
    expected: Omit<Expected, 'secret'>,
  ): Promise<string> {
    const attempt = async (bare: boolean) => {
      const secret = crypto.randomUUID();
      const signals = [AbortSignal.timeout(limits.timeoutMs), limits.signal];
      const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
      const question = {
        messages: messages(secret),
        maxTokens: maxTokens + reasoningTokens,
        bare,
        signal,
      };
      return accepted(await ending(model.complete(question), signal), { ...expected, secret });
    };
    try {
      return await attempt(false);
    } catch (error) {
      limits.signal?.throwIfAborted();
      await sleep(250);
      return attempt(error instanceof ModelFault && error.bare).catch((second: unknown) => {
        throw unavailable(second);
      });
    }
  }
}

/** Rejects when the signal is aborted, even if the model ignores the signal. */
function ending<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  running.catch(() => {});
  return Promise.race([
    running,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
  ]);
}

function unavailable(error: unknown): ServiceError {
  // The message of an error other than ModelFault may quote the text, so only its name is logged.
  const isFault = error instanceof ModelFault;
  console.error(`the text model failed twice: ${isFault ? error.message : (error as Error).name}`);
  const late = (error as Error).name === 'TimeoutError';
  const reason = late
    ? 'took too long'
    : isFault
      ? `gave no usable answer (${error.message})`
      : 'failed';
  return new ServiceError('unavailable', `the text model ${reason}; nothing was charged`, {
    retryAfter: 10,
  });
}

const linkOrCode = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'’]|`[^`\n]{1,1000}`/g;

/** Estimates the tokens of an answer of some words, for the language with the most tokens per word. */
const tokensFor = (words: number) => Math.ceil(Math.min(words, 4000) * 4) + 200;

/** Returns the parts. Throws 422 if there are too many. */
function withinPartLimit(parts: string[]): string[] {
  if (parts.length <= maxParts) return parts;
  const message = `is too long for the text model: it has ${parts.length} parts, the limit is ${maxParts} parts`;
  throw invalidInput('text', message);
}

/** Maps parts in batches of {@link maxConcurrentParts}, keeping their order. */
async function mapParts<T>(parts: string[], work: (part: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < parts.length; start += maxConcurrentParts) {
    const batch = parts.slice(start, start + maxConcurrentParts);
    results.push(...(await Promise.all(batch.map(work))));
  }
  return results;
}

/** Splits an answer into lines for bullets, else into sentences. */
function pointsOf(answer: string, style: SummaryRequest['style']): string[] {
  const lines = answer.split('\n').filter((line) => line.trim() !== '');
  return style === 'bullets' && lines.length > 1 ? lines : sentencesOf(answer);
}
