import { decodeTime, fixULIDBase32, monotonicFactory } from 'ulidx';
import { MAX, NIL, v4, v7 } from 'uuid';
import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { defineTool, price } from './tool.ts';

const decodedShape = z.object({
  version: z.int().describe('1 to 8; 0 for the nil UUID and for ULIDs, 15 for the max UUID'),
  variant: z.string().describe('`RFC 9562`, `NCS`, `Microsoft`, `future`, or `ULID`'),
  timestamp: z.string().optional().describe('ISO 8601; for v7 and ULID'),
  is_ulid: z.boolean(),
});

export const uuid = defineTool({
  name: 'uuid',
  summary: 'Generate UUIDs (v4, v7) and ULIDs, and decode any of them',
  description: `UUIDs follow RFC 9562. v7 UUIDs and ULIDs sort by time, also within one millisecond. \`decode\` accepts
upper and lower case, braces, \`urn:uuid:\`, and ULIDs in which I, L and O stand for 1, 1 and 0.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      action: z.enum(['generate', 'decode']),
      format: z.enum(['v4', 'v7', 'ulid']).default('v4').describe('Format to generate'),
      value: z.string().optional().describe('The UUID or ULID to decode; required for decode'),
      count: z.int().min(1).max(1000).default(1).describe('Number of values to generate'),
    });
  },
  get output() {
    return z.object({
      value: z.string(),
      format: z.string().describe('`v1` to `v8`, `nil`, `max`, `ulid` or `unknown`'),
      values: z
        .array(z.string())
        .optional()
        .describe('All generated values, if `count` is above 1'),
      decoded: decodedShape.optional(),
    });
  },
  examples: [
    { title: 'a UUID that sorts by time', input: { action: 'generate', format: 'v7' } },
    {
      title: 'decode a ULID',
      input: { action: 'decode', value: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    },
  ],
  run({ action, format, value, count }) {
    if (action === 'generate') {
      const values = Array.from({ length: count }, generators[format]);
      return { value: values[0]!, format, ...(count > 1 && { values }) };
    }
    if (value === undefined) throw invalidInput('value', 'is required when action is decode');
    return { value, ...decode(value.trim()) };
  },
});

/** Created at the first use, because a Worker may not draw random numbers while it starts. */
let nextUlid: ReturnType<typeof monotonicFactory> | undefined;

const generators = {
  v4: () => v4(),
  v7: () => v7(),
  ulid: () => (nextUlid ??= monotonicFactory())(),
};

function decode(value: string) {
  const bare = value.replace(/^urn:uuid:/i, '').replace(/^\{(.*)\}$/, '$1');
  if (/^[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}$/i.test(bare)) return decodeUuid(bare);
  if (bare.length === 26) return decodeUlid(bare);
  throw invalidInput('value', 'is neither a UUID nor a ULID');
}

/**
 * Decodes a UUID. The version is the high nibble of octet 6, the variant the high bits of octet 8 (RFC 9562).
 */
function decodeUuid(value: string) {
  const hex = value.replaceAll('-', '').toLowerCase();
  const version = Number.parseInt(hex[12]!, 16);
  const variant = variantOf(Number.parseInt(hex[16]!, 16));
  const decoded = {
    version,
    variant,
    ...(version === 7 &&
      variant === 'RFC 9562' && { timestamp: iso(Number.parseInt(hex.slice(0, 12), 16)) }),
    is_ulid: false,
  };
  return { format: formatOf(hex, version, variant), decoded };
}

function formatOf(hex: string, version: number, variant: string): string {
  if (hex === NIL.replaceAll('-', '')) return 'nil';
  if (hex === MAX.replaceAll('-', '')) return 'max';
  return variant === 'RFC 9562' && version >= 1 && version <= 8 ? `v${version}` : 'unknown';
}

/** Returns the variant of a UUID by the high nibble of octet 8 (RFC 9562, table 1). */
function variantOf(nibble: number): string {
  if (nibble < 8) return 'NCS';
  if (nibble < 12) return 'RFC 9562';
  return nibble < 14 ? 'Microsoft' : 'future';
}

function decodeUlid(value: string) {
  const ulid = fixULIDBase32(value.toUpperCase());
  if (!/^[0-9A-HJKMNP-TV-Z]{26}$/.test(ulid)) {
    throw invalidInput('value', 'is not a ULID: it has a character outside Crockford base32');
  }
  if (ulid[0]! > '7') throw invalidInput('value', 'is not a ULID: it is larger than 128 bits');
  const decoded = { version: 0, variant: 'ULID', timestamp: iso(decodeTime(ulid)), is_ulid: true };
  return { format: 'ulid', decoded };
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
