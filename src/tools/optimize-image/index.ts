import { z } from 'zod';
import { defineTool, fileContent, MiB, price } from '../tool.ts';

export const limit = 10 * MiB;

const input = () =>
  z.object({
    content: fileContent('The picture, as base64 or a `data:` URL; up to 10 MB'),
    output_format: z.enum(['auto', 'png', 'jpeg', 'webp']).default('auto'),
    quality: z.int().min(1).max(100).default(85),
    max_width: z
      .int()
      .min(0)
      .max(100_000)
      .default(0)
      .describe('In pixels; 0 leaves the size as it is'),
    strip_metadata: z.boolean().default(false),
    inline: z.boolean().default(false).describe('Answer with the picture itself, not with a link'),
    filename: z.string().optional().describe("Name for the link's file; an upload has one"),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const optimizeImageTool = defineTool({
  name: 'optimize-image',
  summary: 'Make a picture smaller: PNG, JPEG or WebP',
  description: `Takes PNG, JPEG (CMYK too), WebP and GIF, told by their content; up to 10 MB. An animated or
damaged picture is a 422. One that needs more memory than a Worker has (from about 34 megapixels on as
WebP, 47 as JPEG, and 100 with \`max_width\`), or more time (about 5 s), is made by sharp in the
converter, up to 268 megapixels; where none runs it is a 413.

- \`auto\` makes WebP, JPEG (unless something is transparent) and, where it can win, PNG; the smallest
  is the answer. When nothing is smaller than the original, and neither size nor format were to
  change, the original comes back.
- \`quality\`: JPEG is mozjpeg (4:2:0, progressive), WebP is libwebp, or without loss where that is
  smaller and there are few colours. PNG becomes a palette of at most 256 colours below 100 where one
  does not see it, and is without loss otherwise; oxipng packs it up to 6.3 MB of pixels, zlib beyond.
  16-bit PNGs keep their depth as PNG of their own size.
- Large pictures full of detail are made with less effort, so that none takes longer than 5 s: WebP
  with a quicker method, JPEG without progression, PNG with all colours and packed less.
- Pixels are turned upright by EXIF. \`strip_metadata\` removes EXIF, XMP and the ICC profile after
  converting to sRGB; without it they stay (the profile only if it is an RGB one), with the size in
  EXIF set and its thumbnail gone. Transparency in JPEG becomes white.
- \`max_width\` never enlarges. Lanczos 3 in linear light.`,
  credits: price.premium,
  runsIn: 'workshop',
  seconds: 20,
  computingSeconds: 10,
  path: 'optimize-image/json',
  bodyLimit: Math.ceil((limit * 4) / 3) + MiB / 16,
  upload: { path: 'optimize-image', field: 'file', as: 'content', limit },
  get input() {
    return input();
  },
  get output() {
    return z.object({
      url: z.string().optional().describe('Where the picture lies until `expires_at`'),
      content: z.string().optional().describe('The picture as base64, when `inline` is true'),
      expires_at: z.string().optional().describe('ISO 8601'),
      original_size: z.int().describe('Bytes'),
      optimized_size: z.int().describe('Bytes'),
      reduction_percent: z.number(),
      output_format: z.enum(['png', 'jpeg', 'webp']),
      width: z.int(),
      height: z.int(),
    });
  },
  examples: [
    {
      title: 'a GIF as the smallest of PNG, JPEG and WebP',
      input: { content: 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', inline: true },
    },
    {
      title: 'a link to a WebP',
      input: {
        content:
          'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAFElEQVQImWP4z8DAAMIM/////w8AH+4F+0HwQUsAAAAASUVORK5CYII=',
        output_format: 'webp',
        filename: 'dots.png',
      },
    },
  ],
  run: async (input, context) =>
    (await import('#workshop/tools/optimize-image/run.ts')).run(input, context),
});
