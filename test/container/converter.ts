import { unpackTar } from 'modern-tar';
import type { ConversionAnswer } from '../../src/shared/conversion.ts';
import type { Converter } from '../../scripts/service.ts';

export interface Reply {
  status: number;
  retryAfter: string | null;
  /** Of a refusal. */
  message: string;
  /** Of an answer. */
  answer: ConversionAnswer;
  /** In the order of `answer.files`. */
  files: Uint8Array[];
}

/** Asks a running converter as the Worker does, with JSON. */
export async function convert(
  { url, secret }: Pick<Converter, 'url' | 'secret'>,
  input: Record<string, unknown>,
): Promise<Reply> {
  return replyOf(
    await fetch(`${url}/convert`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify(input),
    }),
  );
}

/** The same with a form. */
export async function upload(
  { url, secret }: Pick<Converter, 'url' | 'secret'>,
  file: File,
  options: object,
): Promise<Reply> {
  const body = new FormData();
  body.set('file', file);
  body.set('options', JSON.stringify(options));
  const headers = { authorization: `Bearer ${secret}` };
  return replyOf(await fetch(`${url}/convert`, { method: 'POST', headers, body }));
}

async function replyOf(response: Response): Promise<Reply> {
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  if (!response.ok) {
    const { message } = (await response.json()) as { message: string };
    return { status, retryAfter, message, answer: {} as ConversionAnswer, files: [] };
  }
  const [first, ...files] = await unpackTar(new Uint8Array(await response.arrayBuffer()));
  return {
    status,
    retryAfter,
    message: '',
    answer: JSON.parse(new TextDecoder().decode(first!.data)) as ConversionAnswer,
    files: files.map(({ data }) => data!),
  };
}

/** The text of an answer's first result. Throws on a refusal. */
export function textOf({ status, message, answer }: Reply): string {
  if (status !== 200) throw new Error(`${status}: ${message}`);
  return answer.results[0]!.output!;
}

/** The file of an answer's first result, as base64 for the next question. Throws on a refusal. */
export function fileOf({ status, message, files }: Reply): string {
  if (status !== 200) throw new Error(`${status}: ${message}`);
  return Buffer.from(files[0]!).toString('base64');
}
