import { asIri, draftCalled, type Schema } from './contained.ts';
import type { Draft } from './drafts.ts';
import { quoted, type Issue } from './verdict.ts';

// Finds errors in a schema that meta-schemas cannot find: dangling references and invalid patterns.

/** A place in a schema document where a subschema is expected. */
interface Place {
  node: unknown;
  /** JSON Pointer. */
  path: string;
  /** URI of the schema resource around it. */
  base: string;
}

interface Resource {
  root: unknown;
  anchors: Set<string>;
}

interface Reference extends Place {
  node: string;
}

/** Keywords whose value is a schema, or an array of them. */
const applicators = new Set(
  (
    'additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf ' +
    'prefixItems propertyNames then unevaluatedItems unevaluatedProperties'
  ).split(' '),
);
/** Keywords whose value maps names to schemas. */
const byName = new Set(
  '$defs definitions dependencies dependentSchemas patternProperties properties'.split(' '),
);

/** The base URI of a schema without `$id`. */
const nameless = 'x-schema://root/';

/**
 * Returns the errors of a schema that its meta-schema does not find, and the references to other documents,
 * which are not fetched.
 */
export function examine(schema: Schema, draft: Draft): { faults: Issue[]; external: string[] } {
  const { resources, references, faults } = survey(schema, draft);
  const external = new Set<string>();
  for (const { node, path, base } of references) {
    const fault = faultOfReference(node, base, resources, external);
    if (fault) faults.push({ path, message: fault });
  }
  return { faults, external: [...external] };
}

interface Survey {
  resources: Map<string, Resource>;
  references: Reference[];
  faults: Issue[];
  /** Places that are not examined yet. A list instead of recursion, because schemas may be nested deeply. */
  waiting: Place[];
}

function survey(schema: Schema, draft: Draft): Survey {
  const found: Survey = {
    resources: new Map([[nameless, { root: schema, anchors: new Set() }]]),
    references: [],
    faults: [],
    waiting: [{ node: schema, path: '', base: nameless }],
  };
  for (let place; (place = found.waiting.pop());) {
    const { node, path } = place;
    if (Array.isArray(node)) {
      for (const [i, item] of node.entries()) {
        found.waiting.push({ ...place, node: item, path: `${path}/${i}` });
      }
    } else if (typeof node === 'object' && node !== null) {
      const keywords = countingKeywords(node as Record<string, unknown>, draft);
      const id = keywords[draft === '4' ? 'id' : '$id'];
      const base = typeof id === 'string' ? named(place, id, found.resources) : place.base;
      for (const [name, value] of Object.entries(keywords)) {
        note(found, name, { node: value, path: `${path}/${escaped(name)}`, base });
      }
    }
  }
  return found;
}

/**
 * Returns the keywords that have an effect. Older drafts ignore the keywords next to `$ref` except
 * definitions.
 */
function countingKeywords(schema: Record<string, unknown>, draft: Draft): Record<string, unknown> {
  const isOld = draft === '4' || draft === '6' || draft === '7';
  if (!isOld || typeof schema.$ref !== 'string') return schema;
  return { $ref: schema.$ref, definitions: schema.definitions };
}

/** Notes a keyword. @param place the value of the keyword */
function note({ resources, references, faults, waiting }: Survey, name: string, place: Place) {
  const { node, path, base } = place;
  if (typeof node === 'string') {
    if (name === '$ref' || name === '$dynamicRef') references.push({ node, path, base });
    if (name === '$anchor' || name === '$dynamicAnchor') resources.get(base)!.anchors.add(node);
    if (name === 'pattern') faults.push(...faultOfPattern(node, path));
  } else if (applicators.has(name)) {
    waiting.push(place);
  } else if (byName.has(name) && typeof node === 'object' && node !== null) {
    for (const [key, inner] of Object.entries(node)) {
      const there = `${path}/${escaped(key)}`;
      waiting.push({ node: inner, path: there, base });
      if (name === 'patternProperties') faults.push(...faultOfPattern(key, there));
    }
  }
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the base URI within a schema with an identifier, which in older drafts may be only an anchor. */
function named({ node, base }: Place, id: string, resources: Map<string, Resource>): string {
  const { uri, fragment: anchor } = partsOf(URL.parse(asIri(id), base)?.href ?? base);
  if (!resources.has(uri)) resources.set(uri, { root: node, anchors: new Set() });
  if (anchor) resources.get(uri)!.anchors.add(anchor);
  return uri;
}

function faultOfReference(
  reference: string,
  base: string,
  resources: Map<string, Resource>,
  external: Set<string>,
): string | undefined {
  const href = URL.parse(asIri(reference), base)?.href;
  if (href === undefined) return `${quoted(reference)} is no reference to a URI`;
  const { uri, fragment } = partsOf(href);
  const resource = resources.get(uri);
  if (!resource) {
    if (!draftCalled(uri)) external.add(reference);
    return undefined;
  }
  const found = fragment.startsWith('/')
    ? pointsInto(resource.root, fragment)
    : fragment === '' || resource.anchors.has(fragment);
  return found ? undefined : `${quoted(reference)} leads to nothing in the schema`;
}

function pointsInto(root: unknown, fragment: string): boolean {
  let node = root;
  for (const part of fragment.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return false;
    node = (node as Record<string, unknown>)[name];
  }
  return true;
}

function partsOf(href: string): { uri: string; fragment: string } {
  const [uri = '', fragment = ''] = href.split('#');
  try {
    return { uri, fragment: decodeURIComponent(fragment) };
  } catch {
    return { uri, fragment };
  }
}

function faultOfPattern(pattern: string, path: string): Issue[] {
  try {
    RegExp(pattern, 'u');
    return [];
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: [^]*: /, '');
    return [{ path, message: `${quoted(pattern)} is no regular expression: ${reason}` }];
  }
}
