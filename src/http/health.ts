import pTimeout from 'p-timeout';
import type { AppContext } from './answer.ts';

/** Milliseconds after which a part counts as down. */
const checkTimeoutMs = 3000;

/** The container is not checked, because a request would wake it up. */
async function isUp(converter: string): Promise<void> {
  const { ok } = await fetch(new URL('/health', converter));
  if (!ok) throw new Error('the converter is not well');
}

/** Checks each part. Responds with 200 and `status: ok`, or with 503 and the names of the parts that fail. */
export async function health(c: AppContext): Promise<Response> {
  const parts = {
    keys: c.env.KEYS.get('health'),
    accounts: c.env.ACCOUNTS.getByName('health').describe(),
    files: c.env.FILES.head('health'),
    ...(c.env.CONVERTER_URL && { converter: isUp(c.env.CONVERTER_URL) }),
  };
  const states = await Promise.all(
    Object.entries(parts).map(async ([name, sign]) => {
      const up = await pTimeout(Promise.resolve(sign as unknown), {
        milliseconds: checkTimeoutMs,
      }).then(
        () => 'ok',
        () => 'down',
      );
      return [name, up] as const;
    }),
  );
  const ok = states.every(([, state]) => state === 'ok');
  return c.json({ status: ok ? 'ok' : 'down', parts: Object.fromEntries(states) }, ok ? 200 : 503, {
    'Cache-Control': 'no-store',
  });
}
