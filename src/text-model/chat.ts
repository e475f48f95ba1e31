import { z } from 'zod';
import { readWithin } from '../read-within.ts';

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/** What a model is asked for. */
export interface Question {
  messages: Message[];
  /** Tokens after which it has to stop. */
  maxTokens: number;
  /** Without settings that not every model takes. */
  bare: boolean;
  signal: AbortSignal;
}

/** A model that one talks to, wherever it runs. */
export interface ChatModel {
  /** Such as `workers-ai:@cf/zai-org/glm-4.7-flash`. */
  readonly name: string;
  /** Throws ModelFault, or an AbortError when the signal ends it. */
  complete(question: Question): Promise<Completion>;
}

export interface Completion {
  content: string;
  /** It was cut off at `maxTokens`. */
  cut: boolean;
}

/** Why there is no answer, in words that hold nothing of the text. */
export class ModelFault extends Error {
  /** The model did not like how it was asked. */
  readonly bare: boolean;

  constructor(message: string, { bare = false } = {}) {
    super(message);
    this.bare = bare;
  }
}

/** Bytes of an answer that are read. */
const longestAnswer = 1024 * 1024;

const part = z.object({ text: z.string().optional() });

/** OpenAI's chat completion, and what older models of Workers AI answer. */
const shape = z
  .object({
    response: z.string().nullish(),
    choices: z
      .array(
        z.object({
          message: z.object({ content: z.union([z.string(), z.array(part)]).nullish() }),
          finish_reason: z.string().nullish(),
        }),
      )
      .optional(),
  })
  .transform(({ response, choices }): Completion => {
    const choice = choices?.[0];
    const content = choice?.message.content ?? response ?? '';
    const text = typeof content === 'string' ? content : content.map((each) => each.text).join('');
    return { content: text, cut: choice?.finish_reason === 'length' };
  });

/** Reads what a model answered over HTTP. */
export async function completionOf(response: Response): Promise<Completion> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new ModelFault(`status ${response.status}`, { bare: response.status === 400 });
  }
  const bytes = await readWithin(response, longestAnswer);
  if (!bytes) throw new ModelFault('an answer without end');
  const answer = json(bytes) as { result?: unknown } | null;
  // AI Gateway may wrap it.
  const parsed = shape.safeParse(answer?.result ?? answer);
  if (!parsed.success) throw new ModelFault('an answer of another shape');
  return parsed.data;
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ModelFault('an answer that is no JSON');
  }
}
