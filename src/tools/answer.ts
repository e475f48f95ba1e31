import type { FileAnswer, Tool } from './tool.ts';

/** What a tool put out, as HTTP carries it. */
export interface Answer {
  /** Media type. */
  type: string;
  /** Headers of the tool's own. */
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

/** @param requestType media type of the request: a tool with `plainText` answers text with text */
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
    // A model's name may have letters that a header cannot have (RFC 9110, 5.5).
    headers[name] = encodeURI(String(fields[field]));
  }
  return { type: 'application/json', headers, body: JSON.stringify(output) };
}

/** The way back, for doors that give the output itself to their caller. */
export function fromAnswer(tool: Tool, { type, body }: Answer): unknown {
  if (tool.answersFile) return { type, body };
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
}
