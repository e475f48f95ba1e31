import { nearest } from './nearest.ts';

/**
 * Fields of a call's input that its tool does not have, by their dotted paths, each with the field that the
 * caller may have meant.
 */
export type IgnoredFields = Map<string, string | undefined>;

/** Largest number of fields that an answer names. */
const maxNamed = 20;
/** Characters after which a name is cut. */
const maxCharacters = 64;

/** Returns whether no further field will be named. */
export const isFull = (ignored: IgnoredFields): boolean => ignored.size >= maxNamed;

/**
 * Notes a field that a tool does not have.
 *
 * @param group the object that it is in, as a dotted path that ends with a dot; empty for the whole input
 * @param siblings the fields that this object may have
 * @param others all fields of the input, as dotted paths
 */
export function noteUnknown(
  ignored: IgnoredFields,
  field: string,
  group: string,
  siblings: readonly string[],
  others: () => readonly string[],
): void {
  if (isFull(ignored)) return;
  const paths = others();
  const names = paths.map((path) => path.slice(path.lastIndexOf('.') + 1));
  // The field of exactly this name in another object: `schema` is `options.schema`.
  const same = paths[names.indexOf(field)];
  // Among equally close names that of a sibling comes first.
  const similar = nearest(field, [...siblings, ...names]) ?? '';
  const closest = siblings.includes(similar) ? group + similar : paths[names.indexOf(similar)];
  noteIgnored(ignored, group + field, same ?? closest);
}

/** Notes a part of a request that is ignored. @param meant where it may belong */
export function noteIgnored(ignored: IgnoredFields, name: string, meant?: string): void {
  if (isFull(ignored)) return;
  const told = name.length > maxCharacters ? `${name.slice(0, maxCharacters)}…` : name;
  ignored.set(told.toWellFormed(), meant);
}

/** The ignored fields for people and language models: `algoritm (did you mean algorithm?)`. */
export const ignoredInWords = (ignored: IgnoredFields): string[] =>
  [...ignored].map(([field, meant]) => (meant ? `${field} (did you mean ${meant}?)` : field));

const namesHeader = 'X-Ignored-Fields';
const meantHeader = 'X-Did-You-Mean';

/** The headers that can be set by `ignoredHeaders`. */
export const ignoredHeaderNames = [namesHeader, meantHeader] as const;

/**
 * The ignored fields as headers of an answer; none when nothing was ignored:
 *
 *     X-Ignored-Fields: algoritm, colour
 *     X-Did-You-Mean: algoritm=algorithm
 */
export function ignoredHeaders(ignored: IgnoredFields | undefined): Record<string, string> {
  if (!ignored?.size) return {};
  const meant = [...ignored].filter(([, field]) => field !== undefined);
  return {
    [namesHeader]: [...ignored.keys()].map(inHeader).join(', '),
    ...(meant.length > 0 && {
      [meantHeader]: meant.map(([field, other]) => `${inHeader(field)}=${other}`).join(', '),
    }),
  };
}

/** Percent-encodes what a header cannot have, and what separates names in it. */
const inHeader = (name: string) => name.replace(/[^\w.[\]$-]+/g, encodeURIComponent);

/** Notes the fields that another part of the service has named in the headers of its answer. */
export function noteFromHeaders(ignored: IgnoredFields, headers: Headers): void {
  const entries = (name: string) => headers.get(name)?.split(', ') ?? [];
  const meant = new Map(entries(meantHeader).map((entry) => entry.split('=') as [string, string]));
  for (const name of entries(namesHeader)) ignored.set(decodeURIComponent(name), meant.get(name));
}
