import { invalidInput, tooLarge } from '../../errors.ts';
import { draftCalled, unsealed, type Schema } from './contained.ts';
import { drafts, type Draft } from './drafts.ts';
import { TooManySteps } from './bounded-output.ts';
import {
  anySchema,
  evaluate,
  evaluateBy,
  SchemaFailure,
  type Failure,
  type Instance,
} from './evaluate.ts';
import { parseJson } from './json.ts';
import { invalid, type Issue, type Verdict } from './verdict.ts';

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
  const instance = { value: parsed.value, size: text.length };
  if (options.schema === undefined) return checkSchema(instance, options);
  const schema = schemaOption(options.schema);
  const draft = draftOf(schema, options.draft);
  const judged = { ...instance, formats: options.formats };
  const errors = await errorsAgainst(schema, draft, judged, sizeOf(options.schema));
  return {
    errors,
    summary: `an instance of the schema (draft ${draft})`,
    details: { draft, error_count: errors.length },
  };
}

async function checkSchema(instance: Instance, options: SchemaOptions): Promise<Verdict> {
  const { value } = instance;
  if (!isSchema(value)) return invalid({ message: 'a schema is an object or a boolean', path: '' });
  const draft = draftOf(value, options.draft);
  const failures = await evaluate(drafts[draft], instance).catch((error: unknown) => {
    if (error instanceof TooManySteps)
      throw tooLarge('a schema of so many parts cannot be checked');
    throw error;
  });
  const errors = failures.map(issueOf);
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

/** A meta-schema of the caller's own cannot be fetched; the draft asked for stands in. */
function draftOf(schema: Schema, asked: Draft | undefined): Draft {
  const named = typeof schema === 'object' ? schema.$schema : undefined;
  return (typeof named === 'string' && draftCalled(named)) || (asked ?? '2020-12');
}

/** In characters. A text tells at once; a tree too deep to be written takes a second to say so. */
const sizeOf = (schema: unknown) => () =>
  typeof schema === 'string' ? schema.length : JSON.stringify(schema).length;

async function errorsAgainst(
  schema: Schema,
  draft: Draft,
  instance: Instance,
  schemaSize: () => number,
): Promise<Issue[]> {
  const own = metaSchemaCalled(schema);
  try {
    const size = instance.size + schemaSize();
    const failures = own
      ? await evaluate(own, instance)
      : await evaluateBy(schema, draft, { ...instance, size });
    return failures.map(issueOf);
  } catch (error) {
    throw unusableSchema(error);
  }
}

/** What calls itself the meta-schema of a draft is that one: there cannot be two of a name. */
function metaSchemaCalled(schema: Schema): string | undefined {
  const name = typeof schema === 'object' ? (schema.$id ?? schema.id) : undefined;
  const draft = typeof name === 'string' ? draftCalled(name) : undefined;
  return draft && drafts[draft];
}

function unusableSchema(error: unknown) {
  if (error instanceof SchemaFailure) {
    const { path, message } = issueOf(error.failures[0]!);
    return invalidInput('options.schema', `is no valid schema: ${path} ${message}`);
  }
  if (error instanceof TooManySteps) {
    return invalidInput('options.schema', 'asks too much for so short a text: simplify it');
  }
  if (error instanceof RangeError) {
    return invalidInput(
      'options.schema',
      'refers to itself without end, or it or the input is nested too deeply',
    );
  }
  return invalidInput('options.schema', `cannot be used: ${(error as Error).message}`);
}

/** Says what a keyword asks for, with its value. */
function issueOf({ path, at, keyword, wanted }: Failure): Issue {
  if (keyword === anySchema) {
    return { path, message: `is not allowed here (${at})` };
  }
  const name = at.split('/').at(-1) || keyword.split('/').at(-1)!;
  const value = wanted === undefined ? '' : ` ${shorten(inJson(wanted))}`;
  switch (name) {
    case 'type':
      return { path, message: `must be of type${value.replaceAll('"', '')}` };
    case 'required':
      return { path, message: `must have the properties${value}` };
    case 'enum':
      return { path, message: `must be one of${value}` };
    case 'const':
      return { path, message: `must be${value}` };
    default:
      return { path, message: `must satisfy ${name}${value}` };
  }
}

const inJson = (value: unknown) => JSON.stringify(value, (_, inner: unknown) => unsealed(inner));
const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
