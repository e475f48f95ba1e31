import { asServiceError, clientLeft } from './errors.ts';
import type { Tool } from './tools/tool.ts';

/** The fields of a call for the log. */
export interface Asked {
  door: 'http' | 'mcp' | 'rpc';
  requestId: string;
  tool: Tool;
  /** Returns the account, if known. Read after the call, because the call itself may look up the key. */
  account(): string | undefined;
  /** Whether the answer was a stored one (`Idempotency-Key`), which costs nothing. */
  isRepeat?(): boolean;
  /** Whether the client has disconnected. */
  isLeft?(): boolean;
}

/**
 * Runs a call and logs its result as one line of JSON, without its input, output and key. Any error becomes a
 * ServiceError, which is thrown.
 */
export async function noted<T>(asked: Asked, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await run();
    const cost = asked.isRepeat?.() ? 0 : asked.tool.credits;
    write(asked, start, { status: 200, code: null, cost });
    return result;
  } catch (thrown) {
    // After a disconnect other errors are its consequence, or concern no client.
    const error = asked.isLeft?.() ? clientLeft() : asServiceError(thrown, asked.requestId);
    write(asked, start, { status: error.status, code: error.code, cost: 0 });
    throw error;
  }
}

/** Writes the line. On Cloudflare the clock advances only with I/O, so `ms` does not include computing time. */
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
  // oxlint-disable-next-line no-console -- the log of calls is the only output that is not an error
  console.log(JSON.stringify(record));
}
