import '@hyperjump/json-schema/draft-04';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/formats';
import { removeUriSchemePlugin, value as valueOf } from '@hyperjump/browser';
import {
  InvalidSchemaError,
  registerSchema,
  setMetaSchemaOutputFormat,
  setShouldValidateFormat,
  unregisterSchema,
  validate,
  type OutputUnit,
  type SchemaObject,
} from '@hyperjump/json-schema/draft-2020-12';
import { addFormat, addKeyword, getKeyword, getSchema } from '@hyperjump/json-schema/experimental';
import { value as instanceOf } from '@hyperjump/json-schema/instance/experimental';
import { isEmail, isHostname, isIdnEmail } from '@hyperjump/json-schema-formats';
import { isIdnHostname } from 'idn-hostname';
import { asIri, contained, unsealed, type Schema } from './contained.ts';
import { BoundedOutput } from './bounded-output.ts';
import { drafts, type Draft } from './drafts.ts';
import { boundedPattern } from './pattern.ts';

// The library as it may be used by strangers: all that it keeps is shared by everybody in the isolate.

/** A keyword that an instance does not satisfy. */
export interface Failure {
  /** Where in the instance, as a JSON Pointer (RFC 6901). */
  path: string;
  /** Where in the schema, likewise. */
  at: string;
  /** The keyword's URI. */
  keyword: string;
  /** What stands there in the schema. */
  wanted: unknown;
  /** The schema around it; of `contains` only, which its neighbours change. */
  beside?: unknown;
}

/** A schema that does not satisfy the meta-schema of its draft; it has at least one failure. */
export class SchemaFailure extends Error {
  readonly failures: Failure[];
  readonly schema: Schema;

  constructor(failures: Failure[], schema: Schema) {
    super('the schema is not valid');
    this.failures = failures;
    this.schema = schema;
  }
}

/** What is to be judged, and how. */
export interface Instance {
  value: unknown;
  /** In characters, with a schema that is not ours: by it goes how much work is too much. */
  size: number;
  /** Whether `format` is asserted; undefined as the draft has it. */
  formats?: boolean;
}

/** The keyword of a failure that is a whole schema's, such as of `false`. */
export const anySchema = 'https://json-schema.org/evaluation/validate';

/** Failures that are told, of which there may be one for every few characters. */
const mostFailures = 10_000;

/**
 * What is wrong with an instance by the meta-schema of a draft: all, or the first 10,000.
 * Throws TooManySteps.
 */
export async function evaluate(
  uri: string,
  { value, size, formats }: Instance,
): Promise<Failure[]> {
  const validator = await validate(uri);
  const plugin = new BoundedOutput(Math.min(1e5 + 100 * size, 1e7));
  // For everybody; so it is set for just as long as nobody else can run.
  setShouldValidateFormat(formats as boolean);
  let valid;
  try {
    ({ valid } = validator(value as SchemaObject, { plugins: [plugin] }));
  } finally {
    setShouldValidateFormat(false);
  }
  if (valid) return [];
  const failures = await failuresOf(plugin.errors.slice(0, mostFailures), await getSchema(uri));
  // Not one was kept, where so many alternatives failed before.
  return failures.length > 0 ? failures : [{ path: '', at: '#', keyword: anySchema, wanted: null }];
}

/** The same by a caller's schema. Throws SchemaFailure too, and whatever else the library has to say. */
export async function evaluateBy(
  schema: Schema,
  draft: Draft,
  instance: Instance,
): Promise<Failure[]> {
  // A name that no other schema can guess.
  const name = `urn:uuid:${crypto.randomUUID()}`;
  try {
    registerSchema(contained(schema, draft), name, drafts[draft]);
    return await evaluate(name, instance);
  } catch (error) {
    if (!(error instanceof InvalidSchemaError)) throw error;
    throw new SchemaFailure(await failuresOf(error.output.errors ?? []), schema);
  } finally {
    unregisterSchema(name);
    // It remembers the names of unknown keywords, until it learns of a new one.
    addKeyword(enumeration);
  }
}

/** @param schema from which the units' locations can be reached */
async function failuresOf(
  units: OutputUnit[],
  schema?: Awaited<ReturnType<typeof getSchema>>,
): Promise<Failure[]> {
  const known = new Map<string, unknown>();
  const standingAt = async (at: string) => {
    if (!known.has(at)) {
      known.set(at, await getSchema(asIri(at), schema).then(valueOf<unknown>, () => undefined));
    }
    return known.get(at);
  };
  const failures: Failure[] = [];
  for (const { keyword, instanceLocation, absoluteKeywordLocation: at } of units) {
    failures.push({
      path: pointerOf(instanceLocation),
      at: pointerOf(at),
      keyword,
      wanted: await standingAt(at),
      ...(at.endsWith('/contains') && { beside: await standingAt(at.replace(/\/contains$/, '')) }),
    });
  }
  return failures;
}

const pointerOf = (uri: string) => decodeURI(uri.slice(uri.indexOf('#') + 1));

// A reference to another place is an error, never a request.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat('BASIC');
setShouldValidateFormat(false);

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

addKeyword({
  id: 'https://json-schema.org/keyword/const',
  compile: async (schema) => canonical(unsealed(valueOf(schema))),
  interpret: (wanted, instance) => canonical(instanceOf(instance)) === wanted,
});

const enumeration = {
  id: 'https://json-schema.org/keyword/enum',
  compile: async (schema: Parameters<typeof valueOf>[0]) =>
    new Set(valueOf<unknown[]>(schema).map((value) => canonical(unsealed(value)))),
  interpret: (wanted: Set<string>, instance: Parameters<typeof instanceOf>[0]) =>
    wanted.has(canonical(instanceOf(instance))),
};
addKeyword(enumeration);

/** A text that equal values of JSON have in common, whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Registers a format of strings. What the library has throws for some, and logs what is wrong. */
function addTextFormat(name: string, isValid: (text: string) => boolean) {
  addFormat({
    id: `https://json-schema.org/format/${name}`,
    handler(text) {
      try {
        return typeof text !== 'string' || isValid(text);
      } catch {
        return false;
      }
    },
  });
}

addTextFormat('email', isEmail);
addTextFormat('hostname', (name) => isHostname(name) && isIdnHostname(name));
addTextFormat('idn-hostname', (name) => !/[.．。｡]$/.test(name) && isIdnHostname(name));

// Its expression knows most letters in two ways, and tries them all: two to the power of their number.
// Those below U+00A0 it knows in one, and it is all one to it which they are.
addTextFormat('idn-email', (address) => {
  const domain = /@[^@]*$/.exec(address)?.[0] ?? '';
  const local = address.slice(0, address.length - domain.length);
  return isIdnEmail(local.replace(/[^\0-\x7f]/gu, '\u0080') + domain);
});
