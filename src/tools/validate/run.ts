import { tooLarge } from '../../errors.ts';
import { CronSyntaxError, parseExpression } from '../cron/expression.ts';
import { MiB } from '../tool.ts';
import type { Input, Options } from './index.ts';
import { invalid, type Issue, type Verdict } from './verdict.ts';

type Type = Input['type'];

export async function run({ type, input, options }: Input) {
  const limit = limits[type];
  if (limit && input.length > limit) {
    throw tooLarge(`${labels[type]} of more than ${limit / MiB} MB is too large to check`);
  }
  const { errors, label, summary, details } = await validators[type](input, options);
  const valid = errors.length === 0;
  return {
    valid,
    description: describe(label ?? labels[type], errors, summary),
    errors: errors.slice(0, maxErrors),
    details,
  };
}

/** Largest number of returned errors. A megabyte of commas has a million errors. */
const maxErrors = 10_000;

/** Largest inputs in characters, for parsers that need some hundred bytes for each value. */
const limits: Partial<Record<Type, number>> = { yaml: MiB, toml: MiB };

const labels: Record<Type, string> = {
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
  const [first] = errors;
  if (!first) return `Valid ${label}${summary && `: ${summary}`}.`;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return `Invalid ${label}: ${first.message.replace(/\.$/, '')}${placeOf(first)}${more}.`;
}

function placeOf({ line, column, path }: Issue): string {
  if (line !== undefined) return ` (line ${line}, column ${column})`;
  return path ? ` (at ${path})` : '';
}

const validators: Record<Type, (input: string, options: Options) => Verdict | Promise<Verdict>> = {
  json: async (input) => (await import('./json.ts')).validateJson(input),
  yaml: async (input) => (await import('./yaml.ts')).validateYaml(input),
  toml: async (input, { version }) => (await import('./toml.ts')).validateToml(input, version),
  cron: validateCron,
  json_schema: async (input, options) =>
    (await import('./json-schema.ts')).validateJsonSchema(input, options),
  regex: async (input, { flags }) => (await import('./regex.ts')).validateRegex(input, flags),
  semver: async (input) => (await import('./semver.ts')).validateSemver(input),
  email: async (input, { mode }) => (await import('./email.ts')).validateEmail(input, mode),
  url: async (input) => (await import('./url.ts')).validateUrl(input),
};

function validateCron(input: string): Verdict {
  try {
    const { fields } = parseExpression(input);
    return { errors: [], summary: input.trim(), details: { fields } };
  } catch (error) {
    if (error instanceof CronSyntaxError) return invalid(error.message);
    throw error;
  }
}
