import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { base64Fault, byteEncoding, fromBase64, fromHex, hexFault } from '../bytes.ts';
import { defineTool, price } from '../tool.ts';
import * as codecs from './codecs.ts';

const format = z.enum(['base64', 'url', 'html', 'hex', 'punycode']);
type Format = z.infer<typeof format>;

export const encode = defineTool({
  name: 'encode',
  summary: 'Encode and decode base64, percent-encoding, HTML entities, hex and punycode',
  description: `Text is UTF-8. Decoding is strict: an input that is not in the named format is a 422.

- **base64** (RFC 4648): decoding accepts the URL-safe alphabet, missing padding, line breaks and \`data:\` URLs.
- **url** (RFC 3986): encoding leaves only unreserved characters; decoding leaves \`+\` unchanged.
- **html**: decoding decodes all HTML5 character references once, as browsers do.
- **hex**: decoding accepts \`0x\`, spaces, colons, upper and lower case.
- **punycode** (UTS #46): a domain name, or the domain of an email address.`,
  credits: price.standard,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({
      input: z.string().describe('The text to encode or decode'),
      format,
      action: z.enum(['encode', 'decode']),
      output_encoding: byteEncoding
        .default('utf8')
        .describe(
          'Encoding of the decoded bytes in `output`: text, or base64 or hex for bytes that are not text',
        ),
    });
  },
  get output() {
    return z.object({
      output: z.string(),
      format,
      action: z.enum(['encode', 'decode']),
      warnings: z
        .array(z.string())
        .optional()
        .describe('punycode, encode: why the output cannot be a name in DNS'),
    });
  },
  examples: [
    { title: 'base64', input: { input: 'héllo', format: 'base64', action: 'encode' } },
    {
      title: 'domain name',
      input: { input: 'bücher.example', format: 'punycode', action: 'encode' },
    },
    {
      title: 'bytes that are not text',
      input: { input: '/9j/4A==', format: 'base64', action: 'decode', output_encoding: 'hex' },
    },
  ],
  async run({ input, format, action, output_encoding }) {
    const output =
      action === 'encode' ? encoded(input, format) : await decoded(input, format, output_encoding);
    const warnings =
      format === 'punycode' && action === 'encode' ? codecs.domainWarnings(output) : [];
    return { output, format, action, ...(warnings.length > 0 && { warnings }) };
  },
});

function encoded(text: string, format: Format): string {
  switch (format) {
    case 'base64':
    case 'hex':
      return Buffer.from(text).toString(format);
    case 'url':
      return codecs.toPercent(text);
    case 'html':
      return codecs.toHtml(text);
    case 'punycode':
      return codecs.toPunycode(text) ?? refuse(notDomain(text));
  }
}

async function decoded(
  text: string,
  format: Format,
  outputEncoding: z.infer<typeof byteEncoding>,
): Promise<string> {
  if (format === 'html') return inEncoding(await codecs.fromHtml(text), outputEncoding);
  if (format === 'punycode') {
    return inEncoding(codecs.fromPunycode(text) ?? refuse(notDomain(text)), outputEncoding);
  }
  return inEncoding(bytesOf(text, format), outputEncoding);
}

function notDomain(text: string): string {
  const label = codecs.wrongLabel(text);
  const faulty =
    label === undefined ? '' : `: UTS #46 does not allow the label ${JSON.stringify(label)}`;
  return `is not a domain name${faulty}`;
}

function bytesOf(text: string, format: 'base64' | 'url' | 'hex'): Uint8Array {
  switch (format) {
    case 'base64':
      return fromBase64(text) ?? refuse(`is not base64: ${base64Fault(text)}`);
    case 'hex':
      return fromHex(text) ?? refuse(`is not hex: ${hexFault(text)}`);
    case 'url': {
      const broken = codecs.brokenPercent(text);
      if (broken >= 0) refuse(`has a % without two hexadecimal digits at offset ${broken}`);
      return codecs.fromPercent(text);
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function inEncoding(value: string | Uint8Array, encoding: z.infer<typeof byteEncoding>): string {
  if (encoding !== 'utf8') return Buffer.from(value as Uint8Array).toString(encoding);
  if (typeof value === 'string') return value;
  try {
    return utf8.decode(value);
  } catch {
    return refuse('decodes to bytes that are not UTF-8; ask for output_encoding base64 or hex');
  }
}

function refuse(why: string): never {
  throw invalidInput('input', why);
}
