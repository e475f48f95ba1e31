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

// Adapts the library to hostile schemas. All state of the library is shared by all callers in the isolate.

/** A keyword that an instance does not satisfy. */
export interface Failure {
  /** Place in the instance, as a JSON Pointer (RFC 6901). */
  path: string;
  /** Place in the schema, as a JSON Pointer. */
  at: string;
  /** URI of the keyword. */
  keyword: string;
  /** The value of the keyword in the schema. */
  wanted: unknown;
  /**
   * The schema with the keyword. Only for `contains`, because `minContains` and `maxContains` change its
   * meaning.
   */
  beside?: unknown;
}

/** A schema that does not satisfy the meta-schema of its draft. There is at least one failure. */
export class SchemaFailure extends Error {
  readonly failures: Failure[];
  readonly schema: Schema;

  constructor(failures: Failure[], schema: Schema) {
    super('the schema is not valid');
    this.failures = failures;
    this.schema = schema;
  }
}

/** A value to validate. */
export interface Instance {
  value: unknown;
  /** Characters of the value, and of the schema if it is a caller's. The limit of steps depends on it. */
  size: number;
  /** Whether `format` is asserted; undefined for the draft's default. */
  formats?: boolean;
}

/** The keyword URI of the failure of a whole schema, such as `false`. */
export const anySchema = 'https://json-schema.org/evaluation/validate';

/** Largest number of returned failures. An instance may have one for every few characters. */
const maxFailures = 10_000;

/**
 * Validates an instance against a registered schema, such as a meta-schema. Returns its failures, at most
 * 10,000. Throws TooManySteps.
 */
export async function evaluate(
  uri: string,
  { value, size, formats }: Instance,
): Promise<Failure[]> {
  const validator = await validate(uri);
  const plugin = new BoundedOutput(Math.min(1e5 + 100 * size, 1e7));
  // The setting is global. It is reset before any other call can run.
  setShouldValidateFormat(formats as boolean);
  let valid;
  try {
    ({ valid } = validator(value as SchemaObject, { plugins: [plugin] }));
  } finally {
    setShouldValidateFormat(false);
  }
  if (valid) return [];
  const failures = await failuresOf(plugin.errors.slice(0, maxFailures), await getSchema(uri));
  // No failure was kept if too many alternatives had failed before.
  return failures.length > 0 ? failures : [{ path: '', at: '#', keyword: anySchema, wanted: null }];
}

/** Validates an instance against a caller's schema. Also throws SchemaFailure, and the library's errors. */
export async function evaluateBy(
  schema: Schema,
  draft: Draft,
  instance: Instance,
): Promise<Failure[]> {
  // A random name, so that no other schema can refer to this one.
  const name = `urn:uuid:${crypto.randomUUID()}`;
  try {
    registerSchema(contained(schema, draft), name, drafts[draft]);
    return await evaluate(name, instance);
  } catch (error) {
    if (!(error instanceof InvalidSchemaError)) throw error;
    throw new SchemaFailure(await failuresOf(error.output.errors ?? []), schema);
  } finally {
    unregisterSchema(name);
    // The library caches the names of unknown keywords until a keyword is added.
    addKeyword(enumeration);
  }
}

/** Converts the library's output units. @param schema the schema in which their locations are looked up */
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

// A reference to another document is an error, never a request.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat('BASIC');
setShouldValidateFormat(false);

// Callers choose both patterns and texts, so matching must be bounded.
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

/** Returns the same text for equal JSON values, whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Registers a format of strings. The library's own checks throw for some strings, and log errors. */
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

// The library's regular expression matches most non-ASCII letters by two alternatives, so it takes
// exponential time. Letters below U+00A0 match by one alternative only, and the check treats all non-ASCII
// letters alike.
addTextFormat('idn-email', (address) => {
  const domain = /@[^@]*$/.exec(address)?.[0] ?? '';
  const local = address.slice(0, address.length - domain.length);
  return isIdnEmail(local.replace(/[^\0-\x7f]/gu, '\u0080') + domain);
});
