import type { PictureFormat } from '../shared/picture-formats.ts';

/** The input of the `screenshot` tool. Sizes are in CSS pixels, times in milliseconds. */
export interface ScreenshotOptions {
  /** Either `url` or `html` is set. */
  url?: string | undefined;
  html?: string | undefined;
  width: number;
  height: number;
  format: PictureFormat;
  quality: number;
  full: boolean;
  /** Device pixels for each CSS pixel. */
  device_scale_factor: number;
  dark_mode: boolean;
  omit_background: boolean;
  /** CSS selector of the element to capture; the whole viewport or page if undefined. */
  selector?: string | undefined;
  hide_selectors: string[];
  wait_until: WaitUntil;
  delay_ms: number;
  timeout_ms: number;
}

/** Events after which a page counts as loaded, by their Puppeteer names. */
export const waitUntil = ['domcontentloaded', 'load', 'networkidle2', 'networkidle0'] as const;
type WaitUntil = (typeof waitUntil)[number];

/** A browser that renders pages. */
export interface Browser {
  /**
   * Opens a page in a browser context of its own and returns its screenshot.
   *
   * Throws ServiceError: 400 for an input that the caller can correct, and 500 with `browser_unavailable` or
   * `navigation_timeout`.
   */
  screenshot(options: ScreenshotOptions): Promise<Uint8Array>;
}
