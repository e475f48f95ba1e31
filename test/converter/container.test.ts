import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { DocumentConverter } from '../../src/converter/container.ts';

interface Seen {
  /** Of the container, when it started. */
  secret?: string;
  /** Of the last request that reached it. */
  authorization?: string | null;
}

/** A fake of the container that Cloudflare gives to an object. It records its calls. */
function containerThatNotes(seen: Seen) {
  const container = {
    running: false,
    start(options: { env: Record<string, string> }) {
      seen.secret = options.env.CONVERTER_SECRET!;
      container.running = true;
    },
    monitor: () => new Promise(() => {}),
    getTcpPort: () => ({
      async fetch(...args: ConstructorParameters<typeof Request>) {
        seen.authorization = new Request(...args).headers.get('Authorization');
        return new Response('converted');
      },
    }),
  };
  return container;
}

it('starts a container with a secret, and sends the secret with every request', async () => {
  // Containers do not run locally, so the state of another object is used.
  await runInDurableObject(env.REGISTRY.getByName('with-container'), async (_, state) => {
    const seen: Seen = {};
    Object.defineProperty(state, 'container', { value: containerThatNotes(seen) });
    const converterOf = () => new DocumentConverter(state as DurableObjectState<object>, env);
    const request = () => new Request('http://converter/convert', { method: 'POST', body: '{}' });
    expect(await (await converterOf().fetch(request())).text()).toBe('converted');
    expect(seen.secret).toHaveLength(36);
    expect(seen.authorization).toBe(`Bearer ${seen.secret}`);

    // The object is created again while its container runs.
    await converterOf().fetch(request());
    expect(seen.authorization).toBe(`Bearer ${seen.secret}`);
  });
});
