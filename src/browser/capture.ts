import { waitUntil } from 'cloudflare:workers';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, invalidInput, ServiceError } from '../errors.ts';
import type { ScreenshotOptions } from './browser.ts';
import type { Connection } from './connection.ts';
import { guard, ownDocument, type Guard } from './guard.ts';
import { active, box, called, fontsReady, hide, scrollThrough } from './in-page.ts';
import { evaluate, followLife, newPage, type Life, type Page } from './page.ts';
import type { Reach } from './reach.ts';

/** Milliseconds to wait for an opened page to become idle. After that the screenshot is taken anyway. */
const settleTimeoutMs = 10_000;
/** Milliseconds for one script in the page: scrolling, waiting for fonts, or finding an element. */
const scriptTimeoutMs = 5000;
/** Milliseconds for the capture itself. Only a page that blocks its main thread needs this long. */
const captureTimeoutMs = 10_000;
/** Largest side in device pixels that Chrome captures. A WebP has one pixel less (RFC 9649, 2.7). */
const maxSidePixels = 16_384;

/** Opens a page in a new browser context and takes a screenshot. Closes the connection. Throws ServiceError. */
export async function capture(
  connection: Connection,
  options: ScreenshotOptions,
  reach: Reach,
): Promise<Uint8Array> {
  let page: Page | undefined;
  try {
    page = await newPage(connection);
    const [life, guarded] = await Promise.all([
      followLife(page),
      guard(page, reach, options.html),
      emulate(page, options),
    ]);
    await open(page, options, life, guarded);
    const timeoutMs = settleTimeoutMs + 2 * scriptTimeoutMs + captureTimeoutMs + options.delay_ms;
    const picture = await within(timeoutMs, photograph(page, options, life), () => {
      throw new ServiceError('navigation_timeout', 'the page blocked its main thread for too long');
    });
    if (guarded.refusal) throw badRequest('url', guarded.refusal);
    return picture;
  } finally {
    // Closing the page takes time, and the answer does not depend on it.
    waitUntil(
      Promise.resolve(page?.close())
        .catch(() => {})
        .finally(() => connection.dispose()),
    );
  }
}

async function emulate({ session }: Page, options: ScreenshotOptions): Promise<void> {
  const { width, height, device_scale_factor: deviceScaleFactor, dark_mode: dark } = options;
  const transparent = options.omit_background && options.format !== 'jpeg';
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

/** Navigates to the page and waits for its document. Throws ServiceError when it cannot be opened in time. */
async function open(
  page: Page,
  options: ScreenshotOptions,
  life: Life,
  guarded: Guard,
): Promise<void> {
  const { url = ownDocument, timeout_ms: timeout } = options;
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

/**
 * Throws the ServiceError for a failed navigation. @param reason from Chrome, such as
 * `net::ERR_NAME_NOT_RESOLVED`
 */
function refuse(reason: string, late: () => never): void {
  const code = reason.replace('net::', '');
  // An error status such as 404 with an empty body. Chrome shows its own error page, which is captured.
  if (code === 'ERR_HTTP_RESPONSE_CODE_FAILURE') return;
  if (code.endsWith('TIMED_OUT')) late();
  // The SOCKS proxy of `npm start` (scripts/browser/proxy.ts) cannot pass its reason on to Chrome.
  if (code === 'ERR_SOCKS_CONNECTION_FAILED') {
    const causes =
      'its host has no address, the host does not answer, or pages may not connect to its address';
    throw badRequest('url', `cannot be reached: ${causes}`);
  }
  if (code === 'ERR_ABORTED') throw badRequest('url', 'leads to a download, or to nothing');
  throw badRequest('url', `cannot be opened (${code})`);
}

async function photograph(page: Page, options: ScreenshotOptions, life: Life): Promise<Uint8Array> {
  await within(settleTimeoutMs, settled(page, options.wait_until, life));
  if (options.hide_selectors.length > 0) await hideAll(page, options.hide_selectors);
  if (options.full) await within(scriptTimeoutMs, evaluate(page, called(scrollThrough)));
  await within(scriptTimeoutMs, evaluate(page, called(fontsReady)));
  await sleep(options.delay_ms);
  const clip = await clipOf(page, options);
  const { data } = await page.session.send('Page.captureScreenshot', {
    format: options.format,
    ...(options.format !== 'png' && { quality: options.quality }),
    ...(clip && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
  });
  return Buffer.from(data, 'base64');
}

/**
 * Waits until the page is idle, as `until` defines it. A page without scripts or frames is idle once loaded.
 */
async function settled(
  page: Page,
  until: ScreenshotOptions['wait_until'],
  life: Life,
): Promise<void> {
  if (until === 'domcontentloaded') return;
  const quiet = until === 'networkidle0' ? 'networkIdle' : 'networkAlmostIdle';
  for (let shown; shown !== life.document;) {
    shown = life.document;
    await life.reached('load');
    if (until === 'load') continue;
    // Fails when the page navigates meanwhile. The loop then waits for the new document.
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

/** Returns the part of the page to capture, in CSS pixels; undefined for the viewport. */
async function clipOf(page: Page, options: ScreenshotOptions): Promise<Box | undefined> {
  if (options.selector === undefined && !options.full) return undefined;
  const clip =
    options.selector === undefined ? await whole(page) : await boxOf(page, options.selector);
  const limit = options.format === 'webp' ? maxSidePixels - 1 : maxSidePixels;
  const most = Math.floor(limit / options.device_scale_factor);
  if (Math.max(clip.width, clip.height) <= most) return clip;
  throw invalidInput(
    options.selector === undefined ? 'full' : 'selector',
    `would be ${clip.width} × ${clip.height} pixels; ${most} is the most on a side at this ` +
      'device_scale_factor and format. Take a smaller part by selector',
  );
}

async function whole({ session }: Page): Promise<Box> {
  const { width, height } = (await session.send('Page.getLayoutMetrics')).cssContentSize;
  return { x: 0, y: 0, width, height };
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const found = within(scriptTimeoutMs, evaluate<Box | null>(page, called(box, selector)));
  const element = await found.catch(() => {
    throw badRequest('selector', 'is not a CSS selector');
  });
  if (!element) throw badRequest('selector', 'matches nothing on the page');
  if (!element.width || !element.height)
    throw badRequest('selector', 'matches something invisible');
  return element;
}

/** Waits for `work`, at most `ms` milliseconds. After that it resolves to undefined, or calls `late`. */
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
