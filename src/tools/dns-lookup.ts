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
strings of a TXT record are joined. If a server fails, or takes longer than 5 s, the answer is a 503.`,
  credits: price.standard,
  runsIn: 'outside',
  seconds: 30,
  get input() {
    return z.object({
      domain: z.string().describe('Such as `example.com` or `_dmarc.bücher.example`'),
      record_types: z
        .array(z.enum(recordTypes))
        .min(1, 'must name at least one type')
        .default([...recordTypes]),
    });
  },
  get output() {
    return z.object({
      domain: z.string(),
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
  async run({ domain, record_types }, { resolver }) {
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

/** A domain name as it goes out. Throws a 422 for what is none (RFC 1035, 2.3.4). */
function inALabels(domain: string): string {
  const refuse = (message: string) => invalidInput('domain', message);
  const name = /[\s%/\\?#]/.test(domain) ? '' : domainToASCII(domain.replace(/\.$/, ''));
  if (name === '') throw refuse('must be a domain name, such as example.com');
  const labels = name.split('.');
  if (labels.includes('')) throw refuse('has an empty label: a dot too many');
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) throw refuse('must be a name, not an address');
  if (labels.some((label) => label.length > 63)) throw refuse('has a label over 63 characters');
  if (name.length > 253) throw refuse('is longer than 253 characters');
  return name;
}
