import { invalidInput, tooLarge } from '../../errors.ts';
import { draftCalled, type Schema } from './contained.ts';
import { drafts, type Draft } from './drafts.ts';
import { TooManySteps } from './bounded-output.ts';
import { evaluate, evaluateBy, SchemaFailure, type Instance } from './evaluate.ts';
import { parseJson } from './json.ts';
import { examine } from './schema-faults.ts';
import { issuesOf } from './schema-issue.ts';
import { invalid, quoted, type Issue, type Verdict } from './verdict.ts';

export interface SchemaOptions {
  /** The schema, as object, boolean or JSON text. Without it, the input is validated as a schema. */
  schema?: unknown;
  draft?: Draft | undefined;
  formats: boolean;
}

/** Validates a JSON text against a schema, or a schema against the meta-schema of its draft. */
export async function validateJsonSchema(text: string, options: SchemaOptions): Promise<Verdict> {
  const label = options.schema === undefined ? 'JSON Schema' : 'JSON instance';
  const parsed = parseJson(text);
  if ('error' in parsed) return { ...invalid(parsed.error), label };
  const instance = { value: parsed.value, size: text.length };
  if (options.schema === undefined) return checkSchema(instance, options);
  const schema = schemaOption(options.schema);
  const draft = draftOf(schema, options.draft);
  if (draft === undefined) throw invalidInput('options.schema', unknownDraft(schema));
  const judged = { ...instance, formats: options.formats };
  const errors = await errorsAgainst(schema, draft, judged, sizeOf(options.schema));
  return {
    label,
    errors,
    summary: `it satisfies the schema (draft ${draft})`,
    details: { draft, error_count: errors.length },
  };
}

async function checkSchema(instance: Instance, options: SchemaOptions): Promise<Verdict> {
  const { value } = instance;
  if (!isSchema(value)) return invalid({ message: 'a schema is an object or a boolean', path: '' });
  const draft = draftOf(value, options.draft);
  if (draft === undefined) return invalid({ message: unknownDraft(value), path: '/$schema' });
  const failures = await evaluate(drafts[draft], instance).catch((error: unknown) => {
    if (error instanceof TooManySteps)
      throw tooLarge('a schema of so many parts cannot be checked');
    throw error;
  });
  const found = issuesOf(failures, value);
  const { faults, external } =
    found.length > 0 ? { faults: [], external: [] } : examine(value, draft);
  const errors = [...found, ...faults];
  return {
    errors,
    summary: `a schema of draft ${draft}`,
    details: {
      draft,
      error_count: errors.length,
      ...(external.length > 0 && { external_references: external.slice(0, maxReferences) }),
    },
  };
}

/** Largest number of listed references to other documents. */
const maxReferences = 100;

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

/**
 * Returns the draft of a schema. For an unknown meta-schema, which is not fetched, it is the requested draft.
 */
function draftOf(schema: Schema, asked: Draft | undefined): Draft | undefined {
  const named = typeof schema === 'object' ? schema.$schema : undefined;
  if (typeof named !== 'string') return asked ?? '2020-12';
  return draftCalled(named) ?? asked;
}

const unknownDraft = (schema: Schema) =>
  `$schema ${quoted(String((schema as Record<string, unknown>).$schema))} is none of the drafts ` +
  `${Object.keys(drafts).join(', ')}; leave it out, or choose one by options.draft`;

/**
 * Returns a function for the size of a schema in characters, because serializing a deep schema takes a
 * second.
 */
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
    return issuesOf(failures, instance.value);
  } catch (error) {
    throw unusableSchema(error, schema, draft);
  }
}

/** Returns the URI of the meta-schema whose `$id` a schema has. Two schemas cannot have the same name. */
function metaSchemaCalled(schema: Schema): string | undefined {
  const name = typeof schema === 'object' ? (schema.$id ?? schema.id) : undefined;
  const draft = typeof name === 'string' ? draftCalled(name) : undefined;
  return draft && drafts[draft];
}

function unusableSchema(error: unknown, schema: Schema, draft: Draft) {
  if (error instanceof SchemaFailure) {
    const issues = issuesOf(error.failures, error.schema);
    // The failure of one alternative is more specific than the failure of `anyOf`.
    const { path, message } =
      issues.find((each) => !each.message.includes(' of anyOf ')) ?? issues[0]!;
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
  const [fault] = examine(schema, draft).faults;
  const reason = fault ? `${fault.path} ${fault.message}` : (error as Error).message;
  return invalidInput('options.schema', `cannot be used: ${reason}`);
}
