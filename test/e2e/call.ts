import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { operator } from '../../scripts/operator.ts';

/** The test service, with a key of an account that no other test file uses: files run side by side. */
export const service = { url: inject('service').url, key: await keyOfNewAccount() };

async function keyOfNewAccount(): Promise<string> {
  const { url, adminSecret } = inject('service');
  const admin = operator(url, adminSecret);
  const account = `test-${randomUUID()}`;
  await admin.grant(account, 1_000_000);
  return (await admin.createKey(account, 'tests')).key;
}

/** Calls a tool of the test service; the answer must be 200. */
export async function call<T = Record<string, unknown>>(tool: string, body: unknown): Promise<T> {
  const answer = await post(tool, body);
  if (!answer.ok) throw new Error(`${tool}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

export function post(
  tool: string,
  body: unknown,
  key = service.key,
  url = service.url,
): Promise<Response> {
  return fetch(`${url}/api/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}
