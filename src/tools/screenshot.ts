import { z } from 'zod';
import { waitUntil } from '../browser/browser.ts';
import { badRequest } from '../errors.ts';
import { pictureFormatNames, pictureFormats, pictureTypes } from '../shared/picture-formats.ts';
import { defineTool, price } from './tool.ts';

export const screenshot = defineTool({
  name: 'screenshot',
  summary: 'Take a picture of a web page',
  description: `Opens the page in Chromium, in a browser context that shares nothing with other calls. The response body is the
image. An invalid parameter is a 400. A 500 means that the browser is unavailable, or that the page did not open
within \`timeout_ms\`.

- The image is taken when the fonts have loaded and at most two requests have been running for half a second
  (\`networkidle2\`; a page without scripts only has to load). After ten seconds the image is taken in any case.
  A page with status 404 gives an image too.
- \`full\` scrolls through the page first, so that content which loads late appears. A page of more than 16,384
  pixels on a side is a 422.
- Pages may use http and https addresses of the public Internet only. Every request to a private network, by address
  or by name, is refused. Windows, dialogs and downloads do not open.`,
  credits: price.premium,
  runsIn: 'outside',
  seconds: 120,
  refusesAs: 'invalid_request',
  answersFile: pictureTypes,
  get input() {
    return z.object({
      url: z
        .string()
        .optional()
        .describe('Address of the page (http or https); either `url` or `html`'),
      html: z.string().optional().describe('HTML of the page; either `url` or `html`'),
      width: z.int().min(1).max(3840).default(1280).describe('CSS pixels'),
      height: z.int().min(1).max(2160).default(720).describe('CSS pixels'),
      format: z.enum(pictureFormatNames).default('png'),
      quality: z.int().min(0).max(100).default(85).describe('JPEG and WebP only'),
      full: z.boolean().default(false).describe('Captures the whole scrollable page'),
      selector: z
        .string()
        .optional()
        .describe('CSS selector; the image shows only the first matching element'),
      hide_selectors: z
        .array(z.string())
        .max(100)
        .default([])
        .describe('CSS selectors; matching elements are hidden'),
      device_scale_factor: z
        .number()
        .min(1)
        .max(3)
        .default(1)
        .describe('Image pixels for each CSS pixel'),
      dark_mode: z.boolean().default(false),
      omit_background: z
        .boolean()
        .default(false)
        .describe('Transparent background where the page paints nothing; PNG and WebP only'),
      wait_until: z.enum(waitUntil).default('networkidle2'),
      delay_ms: z
        .int()
        .min(0)
        .max(10_000)
        .default(0)
        .describe('Time to wait before the image is taken'),
      timeout_ms: z
        .int()
        .min(1000)
        .max(60_000)
        .default(30_000)
        .describe('Time limit for opening the page'),
    });
  },
  get output() {
    return z.object({
      type: z.enum(pictureTypes),
      body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
    });
  },
  examples: [
    { title: 'a page of your own', input: { html: '<h1>Hello</h1>', width: 320, height: 120 } },
    {
      title: 'the top of a site as WebP',
      input: { url: 'https://example.com/', format: 'webp' },
      needsInternet: true,
    },
  ],
  async run(input, { browser }) {
    const { url, html } = input;
    if (url === undefined && html === undefined) throw badRequest('url', 'is required (or html)');
    if (url !== undefined && html !== undefined)
      throw badRequest('html', 'and url exclude each other');
    if (url !== undefined && !URL.canParse(url)) throw badRequest('url', 'must be an absolute URL');
    return { type: pictureFormats[input.format].type, body: await browser.screenshot(input) };
  },
});
