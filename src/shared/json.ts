import { ServiceError } from '../errors.ts';
import { requireWellFormed } from './lone-surrogates.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Decodes a body as UTF-8, without its byte-order mark. Throws 400. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError('malformed_body', 'the body is not UTF-8');
  }
}

/** Parses the JSON of a request. Throws 400 for other texts, and 422 for lone surrogates. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new ServiceError('malformed_body', 'the body is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed_body', `the body is not JSON: ${(error as Error).message}`);
  }
  // UTF-8 cannot contain lone surrogates, so only a JSON escape can produce one.
  if (/\\u[dD]/.test(text)) requireWellFormed(value);
  return value;
}
