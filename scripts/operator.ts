import { z } from 'zod';

/** The operator's API of a running service, local or deployed. */
export interface Operator {
  describe(account: string): Promise<z.infer<typeof accountShape>>;
  createKey(account: string, name: string): Promise<{ key: string; id: string }>;
  revokeKey(account: string, id: string): Promise<void>;
  grant(account: string, credits: number): Promise<number>;
  /** Creates a URL that signs in to the dashboard once. */
  signInLink(account: string, operator: boolean): Promise<string>;
}

const accountShape = z.object({
  credits: z.number(),
  keys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      hint: z.string(),
      created_at: z.number(),
      last_used_at: z.number().nullable(),
      revoked_at: z.number().nullable(),
    }),
  ),
  usage: z.array(
    z.object({ day: z.string(), tool: z.string(), calls: z.number(), credits: z.number() }),
  ),
});

/**
 * Returns a client for `/admin` of the service at `url`. Every method throws an error with the service's
 * message.
 */
export function operator(url: string, secret: string): Operator {
  async function ask<T extends z.ZodType>(method: string, path: string, shape: T, body?: unknown) {
    const answer = await fetch(new URL(`/admin/accounts/${path}`, url), {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return shape.parse(await answer.json());
  }
  return {
    describe: (account) => ask('GET', account, accountShape),
    createKey: (account, name) =>
      ask('POST', `${account}/keys`, z.object({ key: z.string(), id: z.string() }), { name }),
    revokeKey: async (account, id) =>
      void (await ask('DELETE', `${account}/keys/${id}`, z.object({ revoked: z.string() }))),
    grant: async (account, credits) =>
      (await ask('POST', `${account}/credits`, z.object({ credits: z.number() }), { credits }))
        .credits,
    signInLink: async (account, operator) =>
      (await ask('POST', `${account}/sign-in-links`, z.object({ url: z.url() }), { operator })).url,
  };
}
