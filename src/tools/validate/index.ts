import { parse as parseSemver } from 'semver';
import { z } from 'zod';
import { tooLarge } from '../../errors.ts';
import { defineTool, MiB, price } from '../tool.ts';
import { CronSyntaxError, parseExpression } from '../cron/expression.ts';
import { drafts, type Draft } from './drafts.ts';
import { invalid, issueShape, type Verdict } from './verdict.ts';

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
    .describe('json_schema: validate `input` against this; without it `input` is a schema itself'),
  draft: z
    .enum(Object.keys(drafts) as [Draft, ...Draft[]])
    .optional()
    .describe('json_schema: for a schema without `$schema`; default 2020-12'),
  formats: z.boolean().default(false).describe('json_schema: whether `format` is asserted'),
  version: z.enum(['1.0', '1.1']).default('1.1').describe('toml'),
  flags: z.string().max(20).default('').describe('regex'),
  mode: z
    .enum(['rfc5321', 'html5'])
    .default('rfc5321')
    .describe("email: html5 is the browser's rule"),
});
type Options = z.output<typeof options>;

export const validate = defineTool({
  name: 'validate',
  summary: 'Check JSON, YAML, TOML, JSON Schema, cron, regex, semver, email and URLs',
  description: `An invalid input is an answer, not an error: \`valid\` is false and \`errors\` says why.

- **json**: RFC 8259; duplicate keys are listed in \`details.duplicate_keys\`.
- **yaml**: 1.2, any number of documents. **toml**: 1.1, or 1.0 by \`options.version\`. Both up to 1 MB.
- **json_schema**: drafts 4, 6, 7, 2019-09 and 2020-12. No reference is ever fetched. The first 10,000
  errors are given. A \`pattern\` that could run forever for a text is refused, unless it can be run in
  linear time, and so is a schema that could.
- **regex**: ECMAScript; compiled, never run. **semver**: 2.0.0, without a leading \`v\`.
- **email**: RFC 5321 with international domains. **url**: absolute, by the WHATWG standard.
- **cron**: what the cron tool takes.`,
  credits: price.standard,
  input: z.object({ type, input: z.string(), options: options.prefault({}) }),
  output: z.object({
    valid: z.boolean(),
    description: z.string().describe('One plain sentence'),
    errors: z.array(issueShape),
    details: z.record(z.string(), z.unknown()).describe('What was found; depends on `type`'),
  }),
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
  async run({ type, input, options }) {
    const limit = limits[type];
    if (limit && input.length > limit) {
      throw tooLarge(`${labels[type]} of more than ${limit / MiB} MB is too large to check`);
    }
    const { errors, summary, details } = await validators[type](input, options);
    const valid = errors.length === 0;
    return { valid, description: describe(labels[type], errors, summary), errors, details };
  },
});

/** In characters; these parsers keep some hundred bytes for each value. */
const limits: Partial<Record<z.infer<typeof type>, number>> = { yaml: MiB, toml: MiB };

const labels: Record<z.infer<typeof type>, string> = {
  json: 'JSON',
  yaml: 'YAML',
  toml: 'TOML',
  cron: 'cron expression',
  json_schema: 'JSON Schema',
  regex: 'regular expression',
  semver: 'semantic version',
  email: 'email address',
  url: 'URL',
};

function describe(label: string, errors: Verdict['errors'], summary = ''): string {
  if (errors.length === 0) return `Valid ${label}${summary && `: ${summary}`}.`;
  const place =
    errors[0]!.line === undefined ? '' : ` (line ${errors[0]!.line}, column ${errors[0]!.column})`;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return `Invalid ${label}: ${errors[0]!.message.replace(/\.$/, '')}${place}${more}.`;
}

const validators: Record<
  z.infer<typeof type>,
  (input: string, options: Options) => Verdict | Promise<Verdict>
> = {
  json: async (input) => (await import('./json.ts')).validateJson(input),
  yaml: async (input) => (await import('./yaml.ts')).validateYaml(input),
  toml: async (input, { version }) => (await import('./toml.ts')).validateToml(input, version),
  cron: validateCron,
  json_schema: async (input, options) =>
    (await import('./json-schema.ts')).validateJsonSchema(input, options),
  regex: async (input, { flags }) => (await import('./regex.ts')).validateRegex(input, flags),
  semver: validateSemver,
  email: async (input, { mode }) => (await import('./email.ts')).validateEmail(input, mode),
  url: validateUrl,
};

/** Semantic Versioning 2.0.0; the library alone would take `v1.2.3` and spaces. */
function validateSemver(input: string): Verdict {
  const version = /^\d\S*$/.test(input) ? parseSemver(input) : null;
  if (!version) return invalid('is not MAJOR.MINOR.PATCH with optional -prerelease and +build');
  const { major, minor, patch, prerelease, build } = version;
  return { errors: [], summary: input, details: { major, minor, patch, prerelease, build } };
}

function validateUrl(input: string): Verdict {
  const url = URL.parse(input);
  if (!url) return invalid('is not an absolute URL');
  const { protocol, username, hostname, port, pathname, search, hash, origin, href } = url;
  return {
    errors: [],
    summary: href,
    details: {
      scheme: protocol.slice(0, -1),
      username,
      host: hostname,
      port: port === '' ? null : Number(port),
      path: pathname,
      query: search.slice(1),
      fragment: hash.slice(1),
      origin,
      normalized: href,
    },
  };
}

function validateCron(input: string): Verdict {
  try {
    const { fields } = parseExpression(input);
    return { errors: [], summary: input.trim(), details: { fields } };
  } catch (error) {
    if (error instanceof CronSyntaxError) return invalid(error.message);
    throw error;
  }
}
