import type { SchemaObject } from '@hyperjump/json-schema/draft-2020-12';
import { drafts, type Draft } from './drafts.ts';

export type Schema = SchemaObject | boolean;

/**
 * Returns a copy of a caller's schema that the library can evaluate without side effects:
 *
 * - The library reads every object in a schema as a schema, even in `const`. So the values of `const` and
 *   `enum` are encoded as strings; see {@link unsealed}.
 * - The library stores each `$vocabulary` and each unknown `$schema` for the life of the isolate, where they
 *   would affect other callers. So the copy has neither.
 * - The library refuses the scheme `file:`, because it could read files. So the scheme is replaced.
 */
export function contained(schema: Schema, draft: Draft): Schema {
  const isOld = oldDrafts.has(draft);
  return copied(isOld ? withReferenceInside(schema) : schema, isOld) as Schema;
}

/** Drafts that ignore the keywords next to `$ref`. */
const oldDrafts = new Set<Draft>(['4', '6', '7']);

/**
 * Moves the root's `$ref` into `allOf`, because generators write definitions next to the `$ref` that refers
 * to them.
 */
function withReferenceInside(schema: Schema): Schema {
  if (typeof schema === 'boolean' || typeof schema.$ref !== 'string') return schema;
  const { $ref, ...others } = schema;
  const kept = Object.entries(others).filter(([name]) => besideReferences.has(name));
  return { ...Object.fromEntries(kept), allOf: [{ $ref }] };
}

const besideReferences = new Set(['$id', 'id', 'definitions', '$defs']);

function copied(schema: unknown, isOld: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((each) => copied(each, isOld));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $schema, $ref } = schema as Record<string, unknown>;
  const draft = typeof $schema === 'string' ? draftCalled($schema) : undefined;
  const isOldHere = draft ? oldDrafts.has(draft) : isOld;
  const entries = Object.entries(schema);
  const counting =
    isOldHere && typeof $ref === 'string' ? entries.filter(([name]) => name === '$ref') : entries;
  return Object.fromEntries(counting.flatMap((entry) => keyword(entry, isOldHere)));
}

function keyword([name, value]: [string, unknown], isOld: boolean): [string, unknown][] {
  if (name === '$vocabulary') return [];
  // The library looks names up in a plain object, where it would find properties such as `constructor`.
  if (name in Object.prototype) return [];
  if (name === '$schema' && typeof value === 'string') {
    const draft = draftCalled(value);
    return draft ? [[name, drafts[draft]]] : [];
  }
  if (name === 'const') return [[name, sealed(value)]];
  if (name === 'enum' && Array.isArray(value)) return [[name, value.map(sealed)]];
  if (references.has(name) && typeof value === 'string') {
    if (value.length > maxReferenceCharacters) {
      throw new Error(`${name} has more than ${maxReferenceCharacters} characters`);
    }
    return [[name, asIri(value).replace(/^file:/i, 'x-file:')]];
  }
  if (byName.has(name) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const schemas = Object.entries(value).map(([key, inner]) => [key, namedSchema(inner, isOld)]);
    return [[name, Object.fromEntries(schemas)]];
  }
  return [[name, copied(value, isOld)]];
}

/** Largest length of a reference in characters. The library resolves `../` in quadratic time. */
const maxReferenceCharacters = 2000;

const references = new Set(['$id', 'id', '$ref', '$dynamicRef', '$recursiveRef']);

/**
 * Returns a reference as an IRI (RFC 3987). Encodes forbidden characters, which generators write in names
 * such as `Array<string>`. Decodes encoded letters, because the library would read each of their bytes as a
 * letter.
 */
export const asIri = (reference: string): string =>
  reference
    .replace(/[\s"<>\\^`{|}]/g, encodeURIComponent)
    .replace(/(?:%[89a-f][\da-f])+/gi, (letters) => {
      const decoded = Buffer.from(letters.replaceAll('%', ''), 'hex').toString();
      return decoded.includes('\uFFFD') ? letters : decoded;
    });

/** Keywords whose value maps names to schemas. The names are not keywords. */
const byName = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * Copies the schema under a name. A string is replaced, because the library would read one named `$id` as an
 * identifier.
 */
const namedSchema = (value: unknown, isOld: boolean) =>
  typeof value === 'string' ? null : copied(value, isOld);

const seal = '\0';
const sealed = (value: unknown) => seal + JSON.stringify(value);

/** Decodes a value of `const` or `enum`. Values in the meta-schemas are not encoded. */
export const unsealed = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(seal)
    ? JSON.parse(value.slice(seal.length))
    : value;

/** Returns the draft whose meta-schema has a URI. */
export function draftCalled(uri: string): Draft | undefined {
  const plain = (text: string) => text.replace(/#$/, '').replace(/^https?:/, '');
  const found = Object.entries(drafts).find(([, known]) => plain(known) === plain(uri));
  return found?.[0] as Draft | undefined;
}
