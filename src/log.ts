import { asServiceError, clientLeft } from './errors.ts';
import type { Tool } from './tools/tool.ts';

/** Who asked for what, by which way in. */
export interface Asked {
  door: 'http' | 'mcp' | 'rpc';
  requestId: string;
  tool: Tool;
  /** Told when the call has ended, since it may begin with finding out; undefined where nobody is known. */
  account(): string | undefined;
  /** Whether an answer cost nothing, since it was paid for before. */
  isRepeat?(): boolean;
  /** Whether the client has left. */
  isLeft?(): boolean;
}

/**
 * Runs a call and writes one line of JSON about how it ended: never what came in or went out, and no
 * key. Throws ServiceError.
 */
export async function noted<T>(asked: Asked, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await run();
    const cost = asked.isRepeat?.() ? 0 : asked.tool.credits;
    write(asked, start, { status: 200, code: null, cost });
    return result;
  } catch (thrown) {
    // Whatever failed then failed because of that, or for nobody.
    const error = asked.isLeft?.() ? clientLeft() : asServiceError(thrown, asked.requestId);
    write(asked, start, { status: error.status, code: error.code, cost: 0 });
    throw error;
  }
}

/** `ms` is what the clock of the place tells: on Cloudflare it stands still between input and output. */
function write(
  { door, requestId, tool, account }: Asked,
  start: number,
  end: { status: number; code: string | null; cost: number },
): void {
  const record = {
    event: 'call',
    door,
    request_id: requestId,
    account: account() ?? null,
    tool: tool.name,
    ...end,
    ms: Math.round(performance.now() - start),
  };
  // oxlint-disable-next-line no-console -- the one place that writes what is no error
  console.log(JSON.stringify(record));
}
