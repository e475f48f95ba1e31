import { z } from 'zod';
import { defineTool, price } from '../tool.ts';
import { drafts, type Draft } from './drafts.ts';
import { issueShape } from './verdict.ts';

const type = z.enum([
  'json',
  'yaml',
  'toml',
  'cron',
  'json_schema',
  'regex',
  'semver',
  'email',
  'url',
]);

const options = z.object({
  schema: z
    .union([z.looseObject({}), z.boolean(), z.string()])
    .optional()
    .describe(
      'json_schema: the schema for `input`; without it, `input` itself is checked as a schema',
    ),
  draft: z
    .enum(Object.keys(drafts) as [Draft, ...Draft[]])
    .optional()
    .describe('json_schema: the draft of a schema without `$schema`; default 2020-12'),
  formats: z.boolean().default(false).describe('json_schema: checks the keyword `format`'),
  version: z.enum(['1.0', '1.1']).default('1.1').describe('toml: the version'),
  flags: z.string().max(20).default('').describe('regex: the flags'),
  mode: z
    .enum(['rfc5321', 'html5'])
    .default('rfc5321')
    .describe('email: html5 is the rule of browsers'),
});
export type Options = z.output<typeof options>;

const input = () => z.object({ type, input: z.string(), options: options.prefault({}) });
export type Input = z.output<ReturnType<typeof input>>;

export const validate = defineTool({
  name: 'validate',
  summary: 'Check JSON, YAML, TOML, JSON Schema, cron, regex, semver, email and URLs',
  description: `An invalid input is answered with 200: \`valid\` is false, and \`errors\` lists the first 10,000
problems.

- **json**: RFC 8259; duplicate keys are listed in \`details.duplicate_keys\`.
- **yaml**: 1.2, any number of documents. **toml**: 1.1, or 1.0 by \`options.version\`. Both up to 1 MB.
- **json_schema**: drafts 4, 6, 7, 2019-09 and 2020-12. No reference is fetched; references of a schema to other
  documents are listed in \`details.external_references\`. A \`pattern\` that could run without end for some text
  is refused, unless it can run in linear time. A schema that could run without end is refused too.
- **regex**: ECMAScript; compiled, never run. **semver**: 2.0.0, without a leading \`v\`.
- **email**: RFC 5321 with international domains. **url**: absolute, by the WHATWG standard, with a host that DNS and
  IDNA allow; \`details.warnings\` names text that only looks like a URL.
- **cron**: the same expressions as the tool \`cron\`.`,
  credits: price.standard,
  runsIn: 'workshop',
  seconds: 10,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      valid: z.boolean(),
      description: z.string().describe('One sentence'),
      errors: z.array(issueShape),
      details: z.record(z.string(), z.unknown()).describe('Properties of the input, by `type`'),
    });
  },
  examples: [
    { title: 'JSON', input: { type: 'json', input: '{"a": 1,}' } },
    {
      title: 'JSON Schema',
      input: {
        type: 'json_schema',
        input: '{"age": -1}',
        options: { schema: { properties: { age: { minimum: 0 } } } },
      },
    },
    { title: 'semver', input: { type: 'semver', input: '1.2.3-beta.1' } },
  ],
  run: async (input) => (await import('#workshop/tools/validate/run.ts')).run(input),
});
