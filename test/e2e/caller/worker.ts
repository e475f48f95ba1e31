import type { Tools } from '../../../src/rpc.ts';

interface Bindings {
  SERVICE: Fetcher;
  TOOLS: Service<typeof Tools>;
  NAMELESS: Service<typeof Tools>;
}

/** A call of a method of a service binding. */
interface RpcCall {
  binding: 'TOOLS' | 'NAMELESS';
  method: string;
  args: unknown[];
}

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/call') return env.SERVICE.fetch(request);
    const { binding, method, args } = await request.json<RpcCall>();
    const methods = env[binding] as unknown as Record<string, (...args: unknown[]) => unknown>;
    try {
      return Response.json({ result: await methods[method]!(...args) });
    } catch (error) {
      const { message, code, status, errors } = error as Record<string, unknown>;
      return Response.json({ error: { message, code, status, errors } });
    }
  },
} satisfies ExportedHandler<Bindings>;

/** Never called: this function tests the types of the binding, by being type-checked. */
export async function typed({ TOOLS }: Bindings) {
  const { hash } = await TOOLS.hash({ input: 'hello', algorithm: 'blake3' });
  const { markdown } = await TOOLS.htmlToMarkdown({ html: '<b>hello</b>' }, { key: 'sk_svc_…' });
  // @ts-expect-error An algorithm that does not exist.
  await TOOLS.hash({ input: 'hello', algorithm: 'sha0' });
  return hash.toUpperCase() + markdown.toUpperCase();
}
