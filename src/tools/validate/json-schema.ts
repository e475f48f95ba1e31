import '@hyperjump/json-schema/draft-04';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/formats';
import { removeUriSchemePlugin } from '@hyperjump/browser';
import {
  InvalidSchemaError,
  registerSchema,
  setMetaSchemaOutputFormat,
  setShouldValidateFormat,
  unregisterSchema,
  validate,
  type SchemaObject,
} from '@hyperjump/json-schema/draft-2020-12';
import { isIdnEmail } from '@hyperjump/json-schema-formats';
import { addFormat, addKeyword, getKeyword } from '@hyperjump/json-schema/experimental';
import { invalidInput } from '../../errors.ts';
import { drafts, type Draft } from './drafts.ts';
import { parseJson } from './json.ts';
import { boundedPattern } from './pattern.ts';
import { invalid, type Issue, type Verdict } from './verdict.ts';

// A reference to another host is an error, never a request.
removeUriSchemePlugin('http');
removeUriSchemePlugin('https');
setMetaSchemaOutputFormat('BASIC');

// Patterns and texts both come from callers.
for (const name of ['pattern', 'patternProperties', 'additionalProperties']) {
  const keyword = getKeyword(`https://json-schema.org/keyword/${name}`);
  addKeyword({
    ...keyword,
    compile: async (...asked) => withBoundedPatterns(await keyword.compile(...asked)),
  });
}

function withBoundedPatterns(compiled: unknown): unknown {
  if (compiled instanceof RegExp) return boundedPattern(compiled);
  return Array.isArray(compiled) ? compiled.map(withBoundedPatterns) : compiled;
}

// Its expression knows most letters in two ways, and tries them all: two to the power of their number.
// Those below U+00A0 it knows in one, and it is all one to it which they are.
addFormat({
  id: 'https://json-schema.org/format/idn-email',
  handler(address) {
    if (typeof address !== 'string') return true;
    const domain = /@[^@]*$/.exec(address)?.[0] ?? '';
    const local = address.slice(0, address.length - domain.length);
    return isIdnEmail(local.replace(/[^\0-\x7f]/gu, '\u0080') + domain);
  },
});

type Schema = SchemaObject | boolean;

export interface SchemaOptions {
  /** Validate against this; without it the input is a schema itself. Object, boolean or JSON text. */
  schema?: unknown;
  draft?: Draft | undefined;
  formats: boolean;
}

/** A JSON text against a schema, or a schema against the meta-schema of its draft. */
export async function validateJsonSchema(text: string, options: SchemaOptions): Promise<Verdict> {
  const parsed = parseJson(text);
  if ('error' in parsed) return invalid(parsed.error);
  if (options.schema === undefined) return checkSchema(parsed.value, options);
  const schema = schemaOption(options.schema);
  const draft = draftOf(schema, options.draft);
  const errors = await errorsAgainst(schema, parsed.value, drafts[draft], options.formats);
  return {
    errors,
    summary: `an instance of the schema (draft ${draft})`,
    details: { draft, error_count: errors.length },
  };
}

async function checkSchema(value: unknown, options: SchemaOptions): Promise<Verdict> {
  if (!isSchema(value)) return invalid({ message: 'a schema is an object or a boolean', path: '' });
  const draft = draftOf(value, options.draft);
  const output = await validate(drafts[draft], value as SchemaObject, 'BASIC');
  const errors = output.valid ? [] : issuesOf(output.errors ?? [], undefined);
  return {
    errors,
    summary: `a schema of draft ${draft}`,
    details: { draft, error_count: errors.length },
  };
}

function schemaOption(given: unknown): Schema {
  const parsed = typeof given === 'string' ? parseJson(given) : { value: given };
  if ('error' in parsed)
    throw invalidInput('options.schema', `is not JSON: ${parsed.error.message}`);
  if (!isSchema(parsed.value))
    throw invalidInput('options.schema', 'must be an object or a boolean');
  return parsed.value;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'boolean' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value));

function draftOf(schema: Schema, asked: Draft | undefined): Draft {
  const named = typeof schema === 'object' ? schema.$schema : undefined;
  if (typeof named !== 'string') return asked ?? '2020-12';
  const uri = named.replace(/#$/, '').replace(/^https?:/, '');
  const draft = Object.entries(drafts).find(([, known]) => known.replace(/^https?:/, '') === uri);
  // A meta-schema of the caller's own cannot be fetched; the draft asked for stands in.
  return (draft?.[0] as Draft | undefined) ?? asked ?? '2020-12';
}

/** Schemas are registered under a name of their own, for as long as one validation takes. */
let registered = 0;

async function errorsAgainst(
  schema: Schema,
  instance: unknown,
  dialect: string,
  formats: boolean,
): Promise<Issue[]> {
  const name = `urn:schema:${registered++}`;
  // Set and unset within one turn: the validator waits for nothing but its own promises.
  setShouldValidateFormat(formats);
  try {
    registerSchema(withoutFileUris(schema) as SchemaObject, name, dialect);
    const output = await validate(name, instance as SchemaObject, 'BASIC');
    return output.valid ? [] : issuesOf(output.errors ?? [], schema);
  } catch (error) {
    throw unusableSchema(error);
  } finally {
    setShouldValidateFormat(undefined as unknown as boolean);
    unregisterSchema(name);
  }
}

function unusableSchema(error: unknown) {
  if (error instanceof InvalidSchemaError) {
    const [first] = issuesOf((error.output as Output).errors ?? [], undefined);
    return invalidInput(
      'options.schema',
      `is no valid schema: ${first?.path ?? ''} ${first?.message ?? ''}`,
    );
  }
  if (error instanceof RangeError) {
    return invalidInput('options.schema', 'refers to itself without end, or is nested too deeply');
  }
  return invalidInput('options.schema', `cannot be used: ${(error as Error).message}`);
}

interface Output {
  valid: boolean;
  errors?: OutputUnit[];
}
interface OutputUnit {
  keyword: string;
  absoluteKeywordLocation: string;
  instanceLocation: string;
}

function issuesOf(units: OutputUnit[], schema: Schema | undefined): Issue[] {
  return units.map((unit) => ({
    message: messageOf(unit, schema),
    path: decodeURI(unit.instanceLocation.slice(1)),
  }));
}

/** Says what a keyword asks for, with its value where that can be looked up. */
function messageOf(
  { keyword, absoluteKeywordLocation }: OutputUnit,
  schema: Schema | undefined,
): string {
  const pointer = decodeURI(absoluteKeywordLocation.split('#')[1] ?? '');
  const name = pointer.split('/').at(-1) || keyword.split('/').at(-1)!;
  if (keyword.endsWith('/evaluation/validate')) return `is not allowed here (${pointer})`;
  const value = absoluteKeywordLocation.startsWith('urn:schema:')
    ? lookUp(schema, pointer)
    : undefined;
  const wanted = value === undefined ? '' : ` ${shorten(JSON.stringify(value))}`;
  switch (name) {
    case 'type':
      return `must be of type${wanted.replaceAll('"', '')}`;
    case 'required':
      return `must have the properties${wanted}`;
    case 'enum':
      return `must be one of${wanted}`;
    case 'const':
      return `must be${wanted}`;
    default:
      return `must satisfy ${name}${wanted}`;
  }
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** RFC 6901 */
function lookUp(root: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

const references = new Set(['$id', 'id', '$ref', '$dynamicRef', '$recursiveRef', '$schema']);
const plainData = new Set(['const', 'enum', 'default', 'examples']);

/**
 * The library refuses schemas that call themselves `file:`, because it could read files. Here the
 * scheme is only a name, so it gets another one.
 */
function withoutFileUris(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFileUris);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (plainData.has(key)) return [key, value];
      if (references.has(key) && typeof value === 'string') {
        return [key, value.replace(/^file:/, 'x-file:')];
      }
      return [key, withoutFileUris(value)];
    }),
  );
}
