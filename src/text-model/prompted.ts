import { estimateTokenCount } from 'tokenx';
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidInput, ServiceError } from '../errors.ts';
import { countWords, sentencesOf } from '../text/segment.ts';
import { accepted, type Expected } from './answer.ts';
import { ModelFault, type ChatModel, type Message } from './chat.ts';
import type { RewriteOrder, SummaryOrder, TextEngine } from './engine.ts';
import { partsOf } from './parts.ts';
import { rewritePrompt, summaryPrompt } from './prompts.ts';

export interface Limits {
  /** Tokens that the model can hold, question and answer together. */
  context: number;
  /** Milliseconds for one answer. */
  patience: number;
  /** Ends every question. */
  signal?: AbortSignal;
}

/** Parts of one text, and how many of them are asked for at one time. */
const mostParts = 32;
const together = 4;
/** Tokens that the instructions take. */
const instructions = 400;
/** Words for the summary of a part, from which the summary of the whole is made. */
const partWords = 250;
/** Words of a text under which its words may all be replaced by others. */
const brief = 20;
/** Tokens of a part to rewrite: what a model writes within its time. */
const rewritten = 2000;

/** Summaries and rewritings by a model. */
export function promptedEngine(model: ChatModel, limits: Limits): TextEngine {
  // What a model thinks before it answers counts, and not every one can be told not to think.
  const thoughts = Math.min(2000, Math.floor(limits.context / 8));
  return {
    name: model.name,
    async summarize(order) {
      // Nobody can say in words what has none.
      if (countWords(order.text) === 0) return [order.text];
      const parts = within(
        partsOf(order.text, limits.context - instructions - thoughts - tokensFor(partWords)),
      );
      const digest = parts.length === 1 ? order.text : await digestOf(parts);
      return pointsOf(await summary({ ...order, text: digest }), order.style);
    },
    async rewrite({ text, target }) {
      if (countWords(text) === 0) return text;
      const most = Math.min(rewritten, Math.floor((limits.context - instructions) / 4));
      const answers = await inTurn(within(partsOf(text, most)), (part) => rewriting(part, target));
      return answers.join('\n\n');
    },
  };

  async function digestOf(parts: string[]): Promise<string> {
    const about = Math.min(partWords, Math.floor(limits.context / 4 / parts.length));
    const summaries = await inTurn(parts, (text) =>
      summary({ text, style: 'paragraph', about, most: Infinity }),
    );
    return summaries.join('\n\n');
  }

  async function summary({ text, style, about, most }: SummaryOrder): Promise<string> {
    const words = countWords(text);
    const wanted = Math.min(about, most);
    return ask((nonce) => summaryPrompt(text, style, wanted, nonce), tokensFor(wanted), {
      text,
      // A word or two is no summary of a page, whatever the page may have asked for.
      least: words > 60 && wanted > 12 ? 4 : 1,
      most: Math.max(words, 30),
      // Of what people wrote as summaries of papers in a sentence, 19 of 20 have 0.29 and more.
      grounded: (said) => (words < brief ? 0 : 0.25 + 1 / said),
      kept: [],
      mayBeCut: true,
    });
  }

  async function rewriting(text: string, target: RewriteOrder['target']): Promise<string> {
    const words = countWords(text);
    const tokens = estimateTokenCount(text) * (target === 'expanded' ? 4 : 2) + 200;
    return ask((nonce) => rewritePrompt(text, target, nonce), tokens, {
      text,
      least: words < brief ? 1 : words / 6,
      most: words < brief ? 200 : words * 5,
      grounded: () => (words < brief ? 0 : 0.15),
      // Who has to be brief may leave a link out.
      kept: target === 'concise' ? [] : (text.match(linkOrCode) ?? []),
      mayBeCut: false,
    });
  }

  /** Asks, and once more when there was no answer to be had or to be used. */
  async function ask(
    messages: (nonce: string) => Message[],
    maxTokens: number,
    expected: Omit<Expected, 'secret'>,
  ): Promise<string> {
    const attempt = async (bare: boolean) => {
      const secret = crypto.randomUUID();
      const signals = [AbortSignal.timeout(limits.patience), limits.signal];
      const signal = AbortSignal.any(signals.filter((each) => each !== undefined));
      const question = {
        messages: messages(secret),
        maxTokens: maxTokens + thoughts,
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

/** A signal's end is the end, whether who was given it heeds it or not. */
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
  // Its message may quote the text, unless it is ours.
  const ours = error instanceof ModelFault;
  console.error(`text model failed twice: ${ours ? error.message : (error as Error).name}`);
  const late = (error as Error).name === 'TimeoutError';
  const reason = late
    ? 'took too long'
    : ours
      ? `gave no usable answer (${error.message})`
      : 'failed';
  return new ServiceError('unavailable', `the text model ${reason}; nothing was charged`, {
    retryAfter: 10,
  });
}

const linkOrCode = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'’]|`[^`\n]{1,1000}`/g;

/** Tokens that an answer of some words may take in any language. */
const tokensFor = (words: number) => Math.ceil(Math.min(words, 4000) * 4) + 200;

function within(parts: string[]): string[] {
  if (parts.length <= mostParts) return parts;
  const message = `is too long for the text model: it makes ${parts.length} parts, and ${mostParts} are the limit`;
  throw invalidInput('text', message);
}

/** A few at a time, in order. */
async function inTurn<T>(parts: string[], work: (part: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < parts.length; start += together) {
    results.push(...(await Promise.all(parts.slice(start, start + together).map(work))));
  }
  return results;
}

/** Bullets are lines; all else is sentences. */
function pointsOf(answer: string, style: SummaryOrder['style']): string[] {
  const lines = answer.split('\n').filter((line) => line.trim() !== '');
  return style === 'bullets' && lines.length > 1 ? lines : sentencesOf(answer);
}
