import type { FileAnswer, Tool } from './tool.ts';

/** The output of a tool as an HTTP response. */
export interface Answer {
  /** Media type. */
  type: string;
  /** Headers that the tool declares. */
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

/**
 * Returns the answer for an output.
 *
 * @param requestType media type of the request; a tool with `plainText` answers `text/plain` in kind
 */
export function toAnswer(tool: Tool, output: unknown, requestType: string | null): Answer {
  if (tool.answersFile) {
    const { type, body } = output as FileAnswer;
    return { type, headers: {}, body: body as Uint8Array<ArrayBuffer> };
  }
  const fields = output as Record<string, unknown>;
  if (tool.plainText && requestType?.startsWith('text/plain')) {
    const body = String(fields[tool.plainText.to]);
    return { type: 'text/plain; charset=utf-8', headers: {}, body };
  }
  const headers: Record<string, string> = {};
  for (const [name, field] of Object.entries(tool.headers ?? {})) {
    // A model's name may have characters that are forbidden in headers (RFC 9110, 5.5).
    headers[name] = encodeURI(String(fields[field]));
  }
  return { type: 'application/json', headers, body: JSON.stringify(output) };
}

/** Returns the output in an answer, for MCP and RPC. */
export function fromAnswer(tool: Tool, { type, body }: Answer): unknown {
  if (tool.answersFile) return { type, body };
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
