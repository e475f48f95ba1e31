import { waitUntil } from 'cloudflare:workers';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, invalidInput, ServiceError } from '../errors.ts';
import type { Order } from './browser.ts';
import type { Connection } from './connection.ts';
import { guard, ownDocument, type Guard } from './guard.ts';
import { active, box, called, fontsReady, hide, scrollThrough } from './in-page.ts';
import { evaluate, followLife, newPage, type Life, type Page } from './page.ts';
import type { Reach } from './reach.ts';

/** Milliseconds that an opened page gets to become quiet; then its picture is taken as it is. */
const settling = 10_000;
/** Milliseconds for scrolling a page and waiting for what then appears. */
const scrolling = 5000;
/** Milliseconds for all that follows. Only a page that never lets go of its thread needs them. */
const painting = 10_000;
/** Device pixels that Chrome paints on one side; a WebP has one less (RFC 9649, 2.7). */
const longestSide = 16_384;

/** Opens the ordered page in a new context and takes its picture. Ends the connection. */
export async function capture(
  connection: Connection,
  order: Order,
  reach: Reach,
): Promise<Uint8Array> {
  let page: Page | undefined;
  try {
    page = await newPage(connection);
    const [life, guarded] = await Promise.all([
      followLife(page),
      guard(page, reach, order.html),
      emulate(page, order),
    ]);
    await open(page, order, life, guarded);
    const most = settling + 2 * scrolling + painting + order.delay_ms;
    const picture = await within(most, photograph(page, order, life), () => {
      throw new ServiceError('navigation_timeout', 'the page never came to rest');
    });
    if (guarded.refusal) throw badRequest('url', guarded.refusal);
    return picture;
  } finally {
    // The answer need not wait for it.
    waitUntil(
      Promise.resolve(page?.close())
        .catch(() => {})
        .finally(() => connection.dispose()),
    );
  }
}

async function emulate({ session }: Page, order: Order): Promise<void> {
  const { width, height, device_scale_factor: deviceScaleFactor, dark_mode: dark } = order;
  const transparent = order.omit_background && order.format !== 'jpeg';
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor,
      mobile: false,
    }),
    session.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
    }),
    transparent &&
      session.send('Emulation.setDefaultBackgroundColorOverride', {
        color: { r: 0, g: 0, b: 0, a: 0 },
      }),
  ]);
}

/** Goes to the page until its document is there. Throws the ServiceError for one that is not. */
async function open(page: Page, order: Order, life: Life, guarded: Guard): Promise<void> {
  const { url = ownDocument, timeout_ms: timeout } = order;
  const late = () => {
    const message = `the page did not open within ${timeout / 1000} s; timeout_ms can be up to 60000`;
    throw new ServiceError('navigation_timeout', message);
  };
  const opening = async () => {
    const { errorText, loaderId } = await page.session.send('Page.navigate', { url });
    if (guarded.refusal) throw badRequest('url', guarded.refusal);
    if (errorText) refuse(errorText, late);
    await life.reached('DOMContentLoaded', loaderId);
  };
  await within(timeout, opening(), late);
}

/** @param reason of Chrome's, such as `net::ERR_NAME_NOT_RESOLVED` */
function refuse(reason: string, late: () => never): void {
  const code = reason.replace('net::', '');
  // A status like 404 with nothing in the body: the browser shows a page of its own.
  if (code === 'ERR_HTTP_RESPONSE_CODE_FAILURE') return;
  if (code.endsWith('TIMED_OUT')) late();
  // The proxy of `npm start` (scripts/browser/proxy.ts) has no way to tell Chrome more than this.
  if (code === 'ERR_SOCKS_CONNECTION_FAILED') {
    const causes =
      'its host has no address, nothing answers there, or the address is not open to pages';
    throw badRequest('url', `cannot be reached: ${causes}`);
  }
  if (code === 'ERR_ABORTED') throw badRequest('url', 'leads to a download, or to nothing');
  throw badRequest('url', `cannot be opened (${code})`);
}

async function photograph(page: Page, order: Order, life: Life): Promise<Uint8Array> {
  await within(settling, settled(page, order.wait_until, life));
  if (order.hide_selectors.length > 0) await hideAll(page, order.hide_selectors);
  if (order.full) await within(scrolling, evaluate(page, called(scrollThrough)));
  await within(scrolling, evaluate(page, called(fontsReady)));
  await sleep(order.delay_ms);
  const clip = await clipOf(page, order);
  const { data } = await page.session.send('Page.captureScreenshot', {
    format: order.format,
    ...(order.format !== 'png' && { quality: order.quality }),
    ...(clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
  });
  return Buffer.from(data, 'base64');
}

/** Waits until nothing more is to come. A page without scripts is finished when it has loaded. */
async function settled(page: Page, until: Order['wait_until'], life: Life): Promise<void> {
  if (until === 'domcontentloaded') return;
  const quiet = until === 'networkidle0' ? 'networkIdle' : 'networkAlmostIdle';
  for (let shown; shown !== life.document;) {
    shown = life.document;
    await life.reached('load');
    if (until === 'load') continue;
    // Fails when the page goes on to another one, which then is the one to wait for.
    const mayLoadMore = await evaluate<boolean>(page, called(active)).catch(() => true);
    if (mayLoadMore || until === 'networkidle0') await life.reached(quiet);
  }
}

async function hideAll(page: Page, selectors: string[]): Promise<void> {
  const wrong = await evaluate<number>(page, called(hide, selectors));
  if (wrong >= 0) throw badRequest(`hide_selectors.${wrong}`, 'is not a CSS selector');
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What of the page is in the picture, in CSS pixels; undefined when it is what the window shows. */
async function clipOf(page: Page, order: Order): Promise<Box | undefined> {
  if (order.selector === undefined && !order.full) return undefined;
  const clip = order.selector === undefined ? await whole(page) : await boxOf(page, order.selector);
  const limit = order.format === 'webp' ? longestSide - 1 : longestSide;
  const most = Math.floor(limit / order.device_scale_factor);
  if (Math.max(clip.width, clip.height) <= most) return clip;
  throw invalidInput(
    order.selector === undefined ? 'full' : 'selector',
    `would be ${clip.width} × ${clip.height} pixels; ${most} is the most on a side at this ` +
      'device_scale_factor and format. Take a smaller part by selector',
  );
}

async function whole({ session }: Page): Promise<Box> {
  const { width, height } = (await session.send('Page.getLayoutMetrics')).cssContentSize;
  return { x: 0, y: 0, width, height };
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const found = within(scrolling, evaluate<Box | null>(page, called(box, selector)));
  const element = await found.catch(() => {
    throw badRequest('selector', 'is not a CSS selector');
  });
  if (!element) throw badRequest('selector', 'matches nothing on the page');
  if (!element.width || !element.height)
    throw badRequest('selector', 'matches something invisible');
  return element;
}

/** Waits for something, but not longer than that; then goes on, or does as told. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined>;
async function within<T>(ms: number, work: Promise<T>, late: () => never): Promise<T>;
async function within<T>(ms: number, work: Promise<T>, late?: () => never) {
  const over = new AbortController();
  const timer = sleep(ms, undefined, { signal: over.signal }).then(() => late?.());
  timer.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, timer]);
  } finally {
    over.abort();
  }
}
