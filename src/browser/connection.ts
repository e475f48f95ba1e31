import puppeteer, { type BrowserWorker } from '@cloudflare/puppeteer';
import { Connection } from '@cloudflare/puppeteer/internal/cdp/Connection.js';
import { WorkersWebSocketTransport } from '@cloudflare/puppeteer/internal/cloudflare/WorkersWebSocketTransport.js';
import { setTimeout as sleep } from 'node:timers/promises';
import pTimeout from 'p-timeout';

export type { Connection };

/** Milliseconds to wait for a free browser, and between two attempts. */
const connectTimeoutMs = 10_000;
const retryIntervalMs = 200;
/** Milliseconds after which the start of a browser counts as failed. */
const startTimeoutMs = 30_000;

/** The browsers that this isolate is starting, with the time of each request. */
const starting = new Set<{ since: number }>();

/**
 * Connects to a running browser (30 ms), or starts one (1 s). Several calls may share a browser. The caller
 * must close the connection.
 *
 * Only Puppeteer's connection is used. Its `Browser` class attaches to the pages of all other callers too,
 * which made eight concurrent screenshots three times slower than eight sequential ones.
 *
 * @param most largest number of browsers at one time
 * @param signal aborted when the client has left
 * @param fresh starts a new browser even if one is running
 */
export async function connect(
  endpoint: BrowserWorker,
  most: number,
  signal: AbortSignal,
  fresh = false,
): Promise<Connection> {
  const end = Date.now() + connectTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      const id = await chosenSession(endpoint, most, fresh);
      if (id) return new Connection('', await WorkersWebSocketTransport.create(endpoint, id));
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('no browser became free');
    await sleep(retryIntervalMs);
  }
}

/**
 * Chooses an idle browser; else starts one if `most` allows; else chooses a busy one. Returns undefined
 * while all browsers are still starting.
 */
async function chosenSession(endpoint: BrowserWorker, most: number, fresh: boolean) {
  const sessions = await puppeteer.sessions(endpoint);
  const idle = sessions.filter(({ connectionId }) => connectionId === undefined);
  // One more than the usual number replaces those that are broken; Chrome that hangs is not always ended.
  const running = sessions.length + startingNow();
  if (fresh ? running <= most : idle.length === 0 && running < most) return start(endpoint);
  const candidates = idle.length > 0 ? idle : sessions;
  // At random, so that concurrent callers do not all choose the same browser.
  return candidates[Math.floor(Math.random() * candidates.length)]?.sessionId;
}

/** Counts the browsers that are starting. A start whose request was cancelled counts until its timeout. */
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
