import { z } from 'zod';

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/** A request to a model. */
interface Question {
  messages: Message[];
  /** Largest number of tokens in the completion. */
  maxTokens: number;
  /** If set, optional settings are left out, because some models refuse them. */
  bare: boolean;
  signal: AbortSignal;
}

/** A chat model. */
export interface ChatModel {
  /** Provider and model, such as `workers-ai:@cf/zai-org/glm-4.7-flash`. */
  readonly name: string;
  /** Returns a completion. Throws ModelFault, or an AbortError when the signal is aborted. */
  complete(question: Question): Promise<Completion>;
}

export interface Completion {
  content: string;
  /** Whether the completion was truncated at `maxTokens`. */
  cut: boolean;
}

/** The reason why there is no usable completion. The message contains nothing of the text and may be logged. */
export class ModelFault extends Error {
  /** Whether a retry with `bare` may succeed, because the model refused the request's settings. */
  readonly bare: boolean;

  constructor(message: string, { bare = false } = {}) {
    super(message);
    this.bare = bare;
  }
}

/** Largest response of a model in bytes. */
const maxResponseBytes = 1024 * 1024;

const part = z.object({ text: z.string().optional() });

/** The JSON of OpenAI's chat completions, and of older models of Workers AI. */
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

/** Reads the completion from a model's HTTP response. Throws ModelFault. */
export async function completionOf(response: Response): Promise<Completion> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new ModelFault(`status ${response.status}`, { bare: response.status === 400 });
  }
  const answer = json(await readBytes(response)) as { result?: unknown } | null;
  // AI Gateway may wrap the completion in `result`.
  const parsed = shape.safeParse(answer?.result ?? answer);
  if (!parsed.success) throw new ModelFault('unknown JSON');
  return parsed.data;
}

/** Reads a body of at most {@link maxResponseBytes}. */
async function readBytes({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new ModelFault('more than 1 MiB');
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ModelFault('malformed JSON');
  }
}
