/** A picture of a page, as the `screenshot` tool is asked for it; sizes in CSS pixels, times in ms. */
export interface Order {
  /** One of both is given. */
  url?: string | undefined;
  html?: string | undefined;
  width: number;
  height: number;
  format: 'png' | 'jpeg' | 'webp';
  quality: number;
  full: boolean;
  /** Device pixels for each CSS pixel. */
  device_scale_factor: number;
  dark_mode: boolean;
  omit_background: boolean;
  /** The picture shows this element alone. */
  selector?: string | undefined;
  hide_selectors: string[];
  wait_until: WaitUntil;
  delay_ms: number;
  timeout_ms: number;
}

/** When a page counts as finished; the names are Puppeteer's. */
export const waitUntil = ['domcontentloaded', 'load', 'networkidle2', 'networkidle0'] as const;
export type WaitUntil = (typeof waitUntil)[number];

/** A real browser somewhere. */
export interface Browser {
  /**
   * Opens a page that shares nothing with any other, and takes its picture.
   *
   * Throws ServiceError: 400 for what the caller can mend, `browser_unavailable` or
   * `navigation_timeout` (500) for what they cannot.
   */
  screenshot(order: Order): Promise<Uint8Array>;
}
