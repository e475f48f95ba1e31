import { z } from 'zod';
import { pictureFormatNames } from '../../shared/picture-formats.ts';
import { defineTool, fileContent, MiB, price } from '../tool.ts';

export const limit = 10 * MiB;

const input = () =>
  z.object({
    content: fileContent('The image as base64 or a `data:` URL; up to 10 MB'),
    output_format: z.enum(['auto', ...pictureFormatNames]).default('auto'),
    quality: z.int().min(1).max(100).default(85),
    max_width: z.int().min(0).max(100_000).default(0).describe('In pixels; 0 keeps the size'),
    strip_metadata: z.boolean().default(false),
    inline: z.boolean().default(false).describe('Returns the image in `content` instead of a link'),
    filename: z
      .string()
      .optional()
      .describe('File name of the result; the default is the name of the uploaded file'),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const optimizeImageTool = defineTool({
  name: 'optimize-image',
  summary: 'Compress and resize an image: PNG, JPEG or WebP',
  description: `Reads PNG, JPEG (also CMYK), WebP and GIF of up to 10 MB; the content decides the format. An animated or damaged
image is a 422. An image that needs more memory than a Worker has (from about 34 megapixels as WebP, 47 as JPEG, and
100 with \`max_width\`), or more time (about 5 s), is compressed by sharp in the converter, up to 268 megapixels.
Without a converter such an image is a 413.

- \`auto\` tries WebP, JPEG (unless the image has transparency) and PNG (if PNG can be the smallest), and returns the
  smallest result. If no result is smaller than the original, and neither size nor format had to change, the original
  is returned.
- \`quality\`: JPEG is written by mozjpeg (4:2:0, progressive). WebP is written by libwebp, without loss if the image has
  few colours and the lossless file is smaller. PNG below 100 gets a palette of at most 256 colours if the difference is
  not visible, and is lossless otherwise. oxipng compresses up to 6.3 MB of pixels, zlib larger images. 16-bit PNGs keep
  their depth if the result is a PNG of the same size.
- Large images with much detail are compressed with less effort, so that none takes longer than 5 s: WebP with a faster
  method, JPEG without progressive mode, PNG without a palette and with less compression.
- The image is rotated as its EXIF orientation says. \`strip_metadata\` converts to sRGB and removes EXIF, XMP and the ICC
  profile. Otherwise they stay (the profile only for RGB), with the new size and without the thumbnail in EXIF.
  Transparency becomes white in JPEG.
- \`max_width\` never enlarges. Images are resized by Lanczos 3 in linear light.`,
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
      url: z.string().optional().describe('Link to the image, valid until `expires_at`'),
      content: z.string().optional().describe('The image as base64, if `inline` is true'),
      expires_at: z.string().optional().describe('ISO 8601'),
      original_size: z.int().describe('Bytes'),
      optimized_size: z.int().describe('Bytes'),
      reduction_percent: z.number(),
      output_format: z.enum(pictureFormatNames),
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
