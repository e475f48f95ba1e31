import puppeteer, { type BrowserWorker } from '@cloudflare/puppeteer';
import { Connection } from '@cloudflare/puppeteer/internal/cdp/Connection.js';
import { WorkersWebSocketTransport } from '@cloudflare/puppeteer/internal/cloudflare/WorkersWebSocketTransport.js';
import { setTimeout as sleep } from 'node:timers/promises';
import pTimeout from 'p-timeout';

export type { Connection };

/** Milliseconds to wait for a browser while others are being started, and between two looks. */
const waitMs = 10_000;
const pauseMs = 200;
/** Milliseconds in which a browser has started, or counts as failed. */
const startTimeoutMs = 30_000;

/** When each browser that this isolate is starting now was asked for. */
const starting = new Set<{ since: number }>();

/**
 * Connects to a running browser if there is one (30 ms), else starts one (1 s). Several callers may
 * share it. The connection is the caller's to end.
 *
 * A connection is all that we take of Puppeteer: its `Browser` attaches to every page of every other
 * caller too, which made eight callers at once three times slower than one after the other.
 *
 * @param most browsers to run at one time
 * @param signal aborted when nobody waits for it any more
 * @param fresh starts a new one whatever is running
 */
export async function connect(
  endpoint: BrowserWorker,
  most: number,
  signal: AbortSignal,
  fresh = false,
): Promise<Connection> {
  const end = Date.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      const id = await chosenSession(endpoint, most, fresh);
      if (id) return new Connection('', await WorkersWebSocketTransport.create(endpoint, id));
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('no browser became free');
    await sleep(pauseMs);
  }
}

/** An idle browser, a new one while there may be more, or a busy one; none while the first start. */
async function chosenSession(endpoint: BrowserWorker, most: number, fresh: boolean) {
  const sessions = await puppeteer.sessions(endpoint);
  const idle = sessions.filter(({ connectionId }) => connectionId === undefined);
  // One more than the usual number replaces those that are broken; Chrome that hangs is not always ended.
  const running = sessions.length + startingNow();
  if (fresh ? running <= most : idle.length === 0 && running < most) return start(endpoint);
  const candidates = idle.length > 0 ? idle : sessions;
  // At random, so that callers of one moment do not all choose the same one.
  return candidates[Math.floor(Math.random() * candidates.length)]?.sessionId;
}

/** A start that a lost call left behind counts until its time-out. */
function startingNow(): number {
  const oldest = Date.now() - startTimeoutMs;
  for (const start of starting) if (start.since < oldest) starting.delete(start);
  return starting.size;
}

async function start(endpoint: BrowserWorker): Promise<string> {
  const started = { since: Date.now() };
  starting.add(started);
  try {
    const acquired = puppeteer.acquire(endpoint);
    return (await pTimeout(acquired, { milliseconds: startTimeoutMs })).sessionId;
  } finally {
    starting.delete(started);
  }
}
