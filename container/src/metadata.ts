import { isNode, type Node } from './pandoc/ast.ts';
import type { Metadata } from '../../src/shared/document-metadata.ts';

type Plain = string | boolean | Plain[] | { [key: string]: Plain };

/** Returns a document's metadata from pandoc's, whose fields are named as in JATS and CSL. */
export function metadataOf(meta: Record<string, Node>): Metadata {
  const all = plainMeta(meta);
  const article = isMap(all.article) ? all.article : {};
  const found = {
    title: textOf(all.title),
    subtitle: textOf(all.subtitle),
    authors: authorsOf(meta),
    abstract: textOf(all.abstract),
    keywords: listOf(all.keywords ?? all.keyword ?? all.subject).flatMap((one) =>
      textOf(one)
        .split(/\s*[;,]\s*/)
        .filter(Boolean),
    ),
    date: textOf(all.date ?? all.published),
    language: textOf(all.lang ?? all.language),
    license: textOf(all.license ?? all.rights ?? all.copyright),
    doi: textOf(all.doi ?? article.doi).replace(/^https?:\/\/(?:dx\.)?doi\.org\//, ''),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value.length > 0));
}

const plainMeta = (meta: Record<string, Node>): Record<string, Plain> =>
  Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, plainOf(value)]));

/** An affiliation: its parts, or all in `institution`, and the same in one line. */
export interface Place {
  line: string;
  institution: string;
  department?: string;
  city?: string;
  region?: string;
  country?: string;
}

export interface Contributor {
  name: string;
  given?: string;
  surname?: string;
  places?: Place[];
  email?: string;
  orcid?: string;
  corresponding?: boolean;
}

/** Returns the authors, and the affiliations that they refer to. */
export function contributorsOf(meta: Record<string, Node>): {
  contributors: Contributor[];
  places: Place[];
} {
  const all = plainMeta(meta);
  const places: Place[] = [];
  const byId = new Map<string, Place>();
  const known = listOf(all.affiliation ?? all.affiliations ?? all.institute);
  for (const [i, one] of known.entries()) {
    byId.set(isMap(one) && one.id ? textOf(one.id) : String(i + 1), added(one));
  }
  function added(place: Plain): Place {
    const found = placeOf(place);
    const same = places.find(({ line }) => line === found.line);
    if (!same) places.push(found);
    return same ?? found;
  }
  const contributors = listOf(all.author ?? all.authors ?? all.creator)
    .map((author): Contributor => {
      if (!isMap(author)) return { name: textOf(author) };
      const own = listOf(author.affiliation ?? author.affiliations ?? author.institute);
      const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.exec(textOf(author.orcid))?.[0];
      const email = textOf(author.email);
      const corresponding = author.corresponding ?? author.correspondence ?? author['cor-id'];
      const given = textOf(author.given ?? author['given-names'] ?? author.first);
      const surname = textOf(author.family ?? author.surname ?? author.last);
      return {
        name: textOf(author.name ?? author.literal) || [given, surname].filter(Boolean).join(' '),
        ...(given && { given }),
        ...(surname && { surname }),
        ...(own.length > 0 && { places: own.map((one) => byId.get(textOf(one)) ?? added(one)) }),
        ...(email && { email }),
        ...(orcid && { orcid }),
        ...(corresponding !== undefined && {
          corresponding: !['false', 'no', ''].includes(textOf(corresponding)),
        }),
      };
    })
    .filter(({ name }) => name);
  return { contributors, places };
}

const authorsOf = (meta: Record<string, Node>): NonNullable<Metadata['authors']> =>
  contributorsOf(meta).contributors.map((contributor) => {
    const { given: _given, surname: _surname, places, ...author } = contributor;
    return { ...author, ...(places && { affiliations: places.map(({ line }) => line) }) };
  });

function placeOf(place: Plain): Place {
  if (!isMap(place)) return { line: textOf(place), institution: textOf(place) };
  const { id: _id, ...parts } = place;
  const order = ['department', 'name', 'organization', 'institution', 'city', 'region', 'country'];
  const known = order.filter((key) => parts[key]);
  const line = (known.length > 0 ? known : Object.keys(parts))
    .map((key) => textOf(parts[key]))
    .join(', ');
  const institution = textOf(parts.organization ?? parts.institution ?? parts.name);
  if (!institution) return { line, institution: line };
  const others = ['department', 'city', 'region', 'country'].filter((key) => parts[key]);
  return {
    line,
    institution,
    ...Object.fromEntries(others.map((key) => [key, textOf(parts[key])])),
  };
}

/** Returns metadata without markup. */
function plainOf({ t, c }: Node): Plain {
  switch (t) {
    case 'MetaMap':
      return Object.fromEntries(
        Object.entries(c as Record<string, Node>).map(([key, value]) => [key, plainOf(value)]),
      );
    case 'MetaList':
      return (c as Node[]).map(plainOf);
    case 'MetaBool':
      return c as boolean;
    case 'MetaBlocks':
      return (c as Node[]).map(stringOf).join('\n\n');
    default:
      return stringOf(c);
  }
}

/** Returns the text of a node, without notes and raw markup. */
export function stringOf(node: unknown): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map(stringOf).join('');
  const { t, c } = (node ?? {}) as Node;
  switch (t) {
    case 'Str':
      return c as string;
    case 'Space':
    case 'SoftBreak':
    case 'LineBreak':
      return ' ';
    case 'Code':
    case 'CodeBlock':
    case 'Math':
      return (c as [unknown, string])[1];
    case 'Note':
    case 'RawInline':
    case 'RawBlock':
      return '';
    case 'Quoted':
    case 'Span':
    case 'Link':
    case 'Image':
    case 'Cite':
    case 'Div':
    case 'Header':
      // `c` has the attributes first, then the content, and for links and images the target last.
      return (c as unknown[]).filter(Array.isArray).map(contents).join('');
    default:
      return stringOf(c);
  }
}

/** Returns the text of an array of nodes. Attributes and targets have no nodes and give an empty text. */
const contents = (part: unknown[]) => (part.some((one) => isNode(one)) ? stringOf(part) : '');

const isMap = (value: Plain | undefined): value is Record<string, Plain> =>
  typeof value === 'object' && !Array.isArray(value);

const listOf = (value: Plain | undefined): Plain[] =>
  value === undefined || value === '' ? [] : Array.isArray(value) ? value : [value];

function textOf(value: Plain | undefined): string {
  if (value === undefined) return '';
  if (isMap(value)) return textOf(value.text ?? value.name ?? Object.values(value)[0]);
  return Array.isArray(value) ? value.map(textOf).join(', ') : String(value).trim();
}
