import { exports } from 'cloudflare:workers';

export interface Reply {
  status: number;
  headers: Headers;
  body: { message: string; code: string; errors: { path: string; message: string }[] } & Record<
    string,
    unknown
  >;
  text: string;
}

/** Sends a request to the whole Worker. */
export async function send(path: string, init: RequestInit = {}): Promise<Reply> {
  const answer = await exports.default.fetch(new Request(`http://service${path}`, init));
  const text = await answer.text();
  let body = {} as Reply['body'];
  try {
    body = JSON.parse(text) as Reply['body'];
  } catch {
    // not every answer is JSON
  }
  return { status: answer.status, headers: answer.headers, body, text };
}

/** Posts JSON to a tool, as an API caller does. */
export function post(
  tool: string,
  body: unknown,
  key?: string,
  headers: Record<string, string> = {},
) {
  return send(`/api/${tool}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
