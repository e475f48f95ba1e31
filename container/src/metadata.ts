import { isNode, type Node } from './pandoc/ast.ts';
import type { Metadata } from '../../src/tools/convert-document/metadata.ts';

type Plain = string | boolean | Plain[] | { [key: string]: Plain };

/** Returns a document's metadata from pandoc's, whose fields are named as in JATS and CSL. */
export function metadataOf(meta: Record<string, Node>): Metadata {
  const all = Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, plainOf(value)]));
  const article = isMap(all.article) ? all.article : {};
  const found = {
    title: textOf(all.title),
    subtitle: textOf(all.subtitle),
    authors: authorsOf(all),
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

function authorsOf(all: Record<string, Plain>): NonNullable<Metadata['authors']> {
  const places = new Map<string, string>();
  const known = listOf(all.affiliation ?? all.affiliations ?? all.institute);
  for (const [i, one] of known.entries()) {
    places.set(isMap(one) && one.id ? textOf(one.id) : String(i + 1), placeOf(one));
  }
  return listOf(all.author ?? all.authors ?? all.creator)
    .map((author) => {
      if (!isMap(author)) return { name: textOf(author) };
      const affiliations = listOf(
        author.affiliation ?? author.affiliations ?? author.institute,
      ).map((one) => places.get(textOf(one)) ?? placeOf(one));
      const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]/.exec(textOf(author.orcid))?.[0];
      const email = textOf(author.email);
      const corresponding = author.corresponding ?? author.correspondence ?? author['cor-id'];
      return {
        name: nameOf(author),
        ...(affiliations.length > 0 && { affiliations }),
        ...(email && { email }),
        ...(orcid && { orcid }),
        ...(corresponding !== undefined && {
          corresponding: !['false', 'no', ''].includes(textOf(corresponding)),
        }),
      };
    })
    .filter(({ name }) => name);
}

function nameOf(author: Record<string, Plain>): string {
  const given = author.given ?? author['given-names'] ?? author.first;
  const family = author.family ?? author.surname ?? author.last;
  const whole = textOf(author.name ?? author.literal ?? '');
  return whole || [given, family].map(textOf).filter(Boolean).join(' ');
}

/** Formats an affiliation as one line. */
function placeOf(place: Plain): string {
  if (!isMap(place)) return textOf(place);
  const { id: _id, ...parts } = place;
  const order = ['department', 'name', 'organization', 'institution', 'city', 'region', 'country'];
  const known = order.filter((key) => parts[key]);
  return (known.length > 0 ? known : Object.keys(parts))
    .map((key) => textOf(parts[key]))
    .join(', ');
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
