import type { Context } from '../../context.ts';
import type { Converter } from '../../converter/converter.ts';
import { ServiceError, tooLarge } from '../../errors.ts';
import { pictureFormats } from '../../shared/picture-formats.ts';
import { stem } from '../filename.ts';
import { limit, type Input } from './index.ts';
import type { Order } from './job.ts';
import { optimise } from './optimise.ts';

export async function run(
  { content, inline, filename, ...order }: Input,
  { converter, storage }: Pick<Context, 'converter' | 'storage'>,
) {
  if (content.length > limit) throw tooLarge('the picture is larger than 10 MB');
  const { bytes, format, width, height } = await made(content, order, converter);
  const saved = Math.max(0, 1 - bytes.length / content.length);
  const result = {
    original_size: content.length,
    optimized_size: bytes.length,
    reduction_percent: Math.round(saved * 10_000) / 100,
    output_format: format,
    width,
    height,
  };
  if (inline) return { content: Buffer.from(bytes).toString('base64'), ...result };
  const { type, extension } = pictureFormats[format];
  const name = `${stem(filename, 'image')}.${extension}`;
  return { ...(await storage.put({ name, type, body: bytes })), ...result };
}

/** Makes the picture here, or where there is more memory. Without such a place our own limit stands. */
async function made(content: Uint8Array, order: Order, converter: Converter) {
  try {
    return optimise(content, order);
  } catch (limit) {
    if (!(limit instanceof ServiceError) || limit.code !== 'payload_too_large') throw limit;
    return converter.optimise(content, order).catch((refusal: ServiceError) => {
      throw refusal.code === 'invalid_input' ? refusal : limit;
    });
  }
}
