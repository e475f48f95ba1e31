import puppeteer, { type BrowserWorker } from '@cloudflare/puppeteer';
import { Connection } from '@cloudflare/puppeteer/internal/cdp/Connection.js';
import { WorkersWebSocketTransport } from '@cloudflare/puppeteer/internal/cloudflare/WorkersWebSocketTransport.js';
import { setTimeout as sleep } from 'node:timers/promises';

export type { Connection };

/** Milliseconds to wait for a browser while others are being started, and between two looks. */
const patience = 10_000;
const pause = 200;

/** Browsers that this isolate is starting now. */
let starting = 0;

/**
 * Connects to a running browser if there is one (30 ms), else starts one (1 s). Several callers may
 * share it. The connection is the caller's to end.
 *
 * A connection is all that we take of Puppeteer: its `Browser` attaches to every page of every other
 * caller too, which made eight callers at once three times slower than one after the other.
 *
 * @param most browsers to run at one time
 * @param fresh starts a new one whatever is running
 */
export async function connect(
  endpoint: BrowserWorker,
  most: number,
  fresh = false,
): Promise<Connection> {
  const end = Date.now() + patience;
  for (;;) {
    try {
      const id = await chosenSession(endpoint, most, fresh);
      if (id) return new Connection('', await WorkersWebSocketTransport.create(endpoint, id));
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('no browser became free');
    await sleep(pause);
  }
}

/** An idle browser, a new one while there may be more, or a busy one; none while the first start. */
async function chosenSession(endpoint: BrowserWorker, most: number, fresh: boolean) {
  const sessions = await puppeteer.sessions(endpoint);
  const idle = sessions.filter(({ connectionId }) => connectionId === undefined);
  if (fresh || (idle.length === 0 && sessions.length + starting < most)) return start(endpoint);
  const candidates = idle.length > 0 ? idle : sessions;
  // At random, so that callers of one moment do not all choose the same one.
  return candidates[Math.floor(Math.random() * candidates.length)]?.sessionId;
}

async function start(endpoint: BrowserWorker): Promise<string> {
  starting += 1;
  try {
    return (await puppeteer.acquire(endpoint)).sessionId;
  } finally {
    starting -= 1;
  }
}
