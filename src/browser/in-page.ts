/**
 * Scripts that run inside a page, as source text. Functions would not work: the compiler's types have no
 * `window`, and the bundler inserts helpers that a page does not have.
 */

/** Whether a loaded page has scripts, frames or refreshes, which can load more. */
export const active = `() => document.scripts.length > 0
  || document.querySelector('iframe, meta[http-equiv="refresh" i]') !== null`;

export const fontsReady = `() => document.fonts.ready.then(() => true)`;

/** Scrolls down and back, and waits for images that load lazily. */
export const scrollThrough = `async () => {
  const root = document.documentElement;
  for (let i = 1; i * innerHeight < root.scrollHeight && i < 100; i++) {
    scrollTo({ top: i * innerHeight, behavior: 'instant' });
    await new Promise((done) => setTimeout(done, 20));
  }
  scrollTo({ top: 0, behavior: 'instant' });
  const late = [...document.images].filter((image) => !image.complete);
  await Promise.all(late.map((image) => new Promise((done) => (image.onload = image.onerror = done))));
}`;

/**
 * Hides the elements that selectors match. A constructed style sheet is not subject to the page's CSP.
 * Returns the index of the first invalid selector, or -1.
 */
export const hide = `(selectors) => {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return selectors.findIndex((selector) => {
    try {
      document.querySelector(selector);
      sheet.insertRule(selector + '{ display: none !important }');
      return false;
    } catch {
      return true;
    }
  });
}`;

/**
 * Returns the box of the first element that a selector matches, in CSS pixels from the top left of the page,
 * after its images have loaded. Returns null for no match, and a size of 0 for an invisible element.
 */
export const box = `async (selector) => {
  const element = document.querySelector(selector);
  if (!element) return null;
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const late = [...element.querySelectorAll('img')].filter((image) => !image.complete);
  await Promise.all(late.map((image) => new Promise((done) => (image.onload = image.onerror = done))));
  const { x, y, width, height } = element.getBoundingClientRect();
  if (getComputedStyle(element).visibility !== 'visible') return { x, y, width: 0, height: 0 };
  return { x: x + scrollX, y: y + scrollY, width, height };
}`;

/** Returns the expression that calls one of these scripts with arguments. */
export const called = (source: string, ...given: unknown[]) =>
  `(${source})(${given.map((each) => JSON.stringify(each)).join()})`;
