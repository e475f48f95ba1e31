import type { SchemaObject } from '@hyperjump/json-schema/draft-2020-12';
import { drafts, type Draft } from './drafts.ts';

export type Schema = SchemaObject | boolean;

/**
 * A copy of a caller's schema for a library that takes every object in one for a schema, `const`
 * included, and keeps for as long as the isolate lives what `$vocabulary` says of a dialect, which may
 * be anybody's, and each `$schema` that it met.
 *
 * So the copy has neither; values are sealed (see `unsealed`); and since the library refuses schemas
 * that call themselves `file:`, because it could read files, that name is changed.
 */
export function contained(schema: Schema, draft: Draft): Schema {
  const isOld = oldDrafts.has(draft);
  return copied(isOld ? withReferenceInside(schema) : schema, isOld) as Schema;
}

/** Those in which nothing counts beside `$ref`. */
const oldDrafts = new Set<Draft>(['4', '6', '7']);

/** What generators put beside the `$ref` of the root, and it leads to. */
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
  // Looked up in a plain object, it would be something that every object has.
  if (name in Object.prototype) return [];
  if (name === '$schema' && typeof value === 'string') {
    const draft = draftCalled(value);
    return draft ? [[name, drafts[draft]]] : [];
  }
  if (name === 'const') return [[name, sealed(value)]];
  if (name === 'enum' && Array.isArray(value)) return [[name, value.map(sealed)]];
  if (references.has(name) && typeof value === 'string') {
    if (value.length > longestReference) {
      throw new Error(`${name} has more than ${longestReference} characters`);
    }
    return [[name, asIri(value).replace(/^file:/i, 'x-file:')]];
  }
  if (byName.has(name) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const schemas = Object.entries(value).map(([key, inner]) => [key, namedSchema(inner, isOld)]);
    return [[name, Object.fromEntries(schemas)]];
  }
  return [[name, copied(value, isOld)]];
}

/** In characters; the library takes `../` out of one in the square of its length. */
const longestReference = 2000;

const references = new Set(['$id', 'id', '$ref', '$dynamicRef', '$recursiveRef']);

/**
 * A reference as RFC 3987 has it. Generators leave what may not stand there in names like
 * `Array<string>`; and the library takes the bytes of an encoded letter for letters.
 */
export const asIri = (reference: string): string =>
  reference
    .replace(/[\s"<>\\^`{|}]/g, encodeURIComponent)
    .replace(/(?:%[89a-f][\da-f])+/gi, (letters) => {
      const decoded = Buffer.from(letters.replaceAll('%', ''), 'hex').toString();
      return decoded.includes('\uFFFD') ? letters : decoded;
    });

/** Keywords whose value has a schema for each of its names, which are no keywords. */
const byName = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** What is no schema stays none, but a string under the name `$id` would be taken for an identifier. */
const namedSchema = (value: unknown, isOld: boolean) =>
  typeof value === 'string' ? null : copied(value, isOld);

const seal = '\0';
const sealed = (value: unknown) => seal + JSON.stringify(value);

/** The value of `const`, or one of `enum`, as it was; those of the drafts' own schemas are not sealed. */
export const unsealed = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(seal)
    ? JSON.parse(value.slice(seal.length))
    : value;

/** The draft whose meta-schema goes by this URI. */
export function draftCalled(uri: string): Draft | undefined {
  const plain = (text: string) => text.replace(/#$/, '').replace(/^https?:/, '');
  const found = Object.entries(drafts).find(([, known]) => plain(known) === plain(uri));
  return found?.[0] as Draft | undefined;
}
