import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { recordTypes, type DnsRecord, type RecordType } from '../resolver/resolver.ts';
import { defineTool, price } from './tool.ts';

export const dnsLookup = defineTool({
  name: 'dns-lookup',
  summary: 'Look up the DNS records of a domain name',
  description: `Queries use DNS over HTTPS (RFC 8484). Aliases are followed. A name that does not exist has empty lists of
records. International names are sent as A-labels (UTS #46). Records are sorted by priority, then by value. The
strings of a TXT record are joined.

Both kinds of failure are a 503. The code \`unavailable\` means that the resolver gave no answer within 5 s. The code
\`resolution_failed\` means that it answered with an error, such as SERVFAIL or REFUSED, or with an endless chain of
aliases.`,
  credits: price.standard,
  runsIn: 'outside',
  seconds: 30,
  get input() {
    return z.object({
      domain: z
        .string()
        .describe(
          'Such as `example.com` or `_dmarc.bücher.example`. Of a URL, the host is looked up',
        ),
      record_types: z
        .array(recordType())
        .min(1, 'must name at least one type')
        .default([...recordTypes]),
    });
  },
  get output() {
    return z.object({
      domain: z.string().describe('As in the request; the host if the request has a URL'),
      records: z.partialRecord(
        z.enum(recordTypes),
        z.array(
          z.object({
            value: z
              .string()
              .describe('An address, a domain name without the final dot, or a text'),
            priority: z.int().optional().describe('MX only'),
          }),
        ),
      ),
      query_time: z.string().describe('Such as `23ms`'),
    });
  },
  examples: [
    { title: 'mail servers', input: { domain: 'example.com', record_types: ['MX'] } },
    { title: 'all record types', input: { domain: 'bücher.example' } },
  ],
  async run({ domain: input, record_types }, { resolver }) {
    const domain = hostOfUrl(input) ?? input;
    const name = inALabels(domain);
    const start = performance.now();
    const records = await Promise.all(
      [...new Set(record_types)].map(async (type): Promise<[RecordType, DnsRecord[]]> => {
        const found = await resolver.resolve(name, type);
        return [type, found.toSorted(byPriority)];
      }),
    );
    return {
      domain,
      records: Object.fromEntries(records),
      query_time: `${Math.round(performance.now() - start)}ms`,
    };
  },
});

const byPriority = (a: DnsRecord, b: DnsRecord) =>
  (a.priority ?? 0) - (b.priority ?? 0) || (a.value < b.value ? -1 : Number(a.value > b.value));

/** Returns the schema of a record type, which may be in lower case. */
const recordType = () =>
  (
    z.preprocess(
      (type) => (typeof type === 'string' ? type.toUpperCase() : type),
      z.enum(recordTypes),
    ) as z.ZodType<RecordType, RecordType | Lowercase<RecordType>>
  ).meta({ override: { type: 'string', enum: [...recordTypes] } });

/** Returns the host of a URL of any scheme; undefined for other texts. Throws a 422 for an invalid URL. */
function hostOfUrl(text: string): string | undefined {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return undefined;
  // Hosts of unknown schemes are not parsed as domain names, so all schemes are read as http.
  const host = URL.parse(text.replace(/^[^:]+/, 'http'))?.hostname;
  if (!host) throw invalidInput('domain', 'is a URL without a valid host');
  return host;
}

/** Returns a domain name in A-labels. Throws a 422 for a text that is not a domain name (RFC 1035, 2.3.4). */
function inALabels(domain: string): string {
  const refuse = (message: string) => invalidInput('domain', message);
  const name = /[\s%/\\?#]/.test(domain) ? '' : domainToASCII(domain.replace(/\.$/, ''));
  if (name === '') {
    throw refuse(
      'must be a domain name such as example.com, without port, path or user, or a whole URL',
    );
  }
  const labels = name.split('.');
  if (labels.includes('')) throw refuse('has an empty label: a dot too many');
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) throw refuse('must be a name, not an address');
  if (labels.some((label) => label.length > 63)) throw refuse('has a label over 63 characters');
  if (name.length > 253) throw refuse('is longer than 253 characters');
  return name;
}
