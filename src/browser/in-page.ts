/**
 * What runs inside a page, as source text: the compiler knows no window here, and the bundler adds
 * names to functions that a page does not have.
 */

/** Whether anything in a loaded page might load more. */
export const active = `() => document.scripts.length > 0
  || document.querySelector('iframe, meta[http-equiv="refresh" i]') !== null`;

export const fontsReady = `() => document.fonts.ready.then(() => true)`;

/** Scrolls down and back, so that what loads only when it is seen has loaded. */
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
 * Hides what selectors match, by a style sheet that no policy of the page forbids. Returns the
 * position of the first that is no selector, else -1.
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
 * Where the first element is that a selector matches, in CSS pixels from the corner of the page; null
 * when there is none, and without size when it is invisible. Its pictures have loaded by then.
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

/** An expression that calls one of the above. */
export const called = (source: string, ...given: unknown[]) =>
  `(${source})(${given.map((each) => JSON.stringify(each)).join()})`;
