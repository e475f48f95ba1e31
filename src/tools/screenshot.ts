import { z } from 'zod';
import { waitUntil } from '../browser/browser.ts';
import { badRequest } from '../errors.ts';
import { defineTool, price } from './tool.ts';

const types = ['image/png', 'image/jpeg', 'image/webp'] as const;

export const screenshot = defineTool({
  name: 'screenshot',
  summary: 'Take a picture of a web page',
  description: `Opens the page in Chromium, in a context that shares nothing with any other call, and answers with
the picture itself. What is wrong with the request is a 400; 500 means that the browser is unavailable,
or that the page did not open within \`timeout_ms\`.

- The picture is taken when at most two requests have been under way for half a second
  (\`networkidle2\`; a page without scripts need only load) and its fonts are there, or after ten
  seconds as the page is then. A page that answers 404 is a picture too.
- \`full\` scrolls through the page first, so that what loads late is there. A page of more than 16,384
  pixels on a side is a 422.
- Only http and https, and only the public Internet: addresses of private networks, and names that
  lead to them, are refused, wherever in the page they are. Windows, dialogs and downloads do not open.`,
  credits: price.premium,
  runsIn: 'outside',
  seconds: 120,
  refusesAs: 'invalid_request',
  answersFile: types,
  get input() {
    return z.object({
      url: z.string().optional().describe('The page, by http or https; or `html`'),
      html: z.string().optional().describe('The page itself, in place of `url`'),
      width: z.int().min(1).max(3840).default(1280).describe('CSS pixels'),
      height: z.int().min(1).max(2160).default(720).describe('CSS pixels'),
      format: z.enum(['png', 'jpeg', 'webp']).default('png'),
      quality: z.int().min(0).max(100).default(85).describe('JPEG and WebP only'),
      full: z.boolean().default(false).describe('All of the page, not only what fits'),
      selector: z
        .string()
        .optional()
        .describe('A CSS selector: only the first element that it matches'),
      hide_selectors: z
        .array(z.string())
        .max(100)
        .default([])
        .describe('What these match is not shown'),
      device_scale_factor: z
        .number()
        .min(1)
        .max(3)
        .default(1)
        .describe('Pixels for each CSS pixel'),
      dark_mode: z.boolean().default(false),
      omit_background: z
        .boolean()
        .default(false)
        .describe('Transparent where the page paints nothing; not JPEG'),
      wait_until: z.enum(waitUntil).default('networkidle2'),
      delay_ms: z
        .int()
        .min(0)
        .max(10_000)
        .default(0)
        .describe('Waited before the picture is taken'),
      timeout_ms: z.int().min(1000).max(60_000).default(30_000).describe('For the page to open'),
    });
  },
  get output() {
    return z.object({
      type: z.enum(types),
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
    return { type: `image/${input.format}` as const, body: await browser.screenshot(input) };
  },
});
