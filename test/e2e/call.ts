import { inject } from 'vitest';

/** Calls a tool of the running service with its local key; the answer must be 200. */
export async function call<T = Record<string, unknown>>(tool: string, body: unknown): Promise<T> {
  const answer = await post(tool, body);
  if (!answer.ok) throw new Error(`${tool}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

export function post(
  tool: string,
  body: unknown,
  key = inject('service').key,
  url = inject('service').url,
): Promise<Response> {
  return fetch(`${url}/api/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}
