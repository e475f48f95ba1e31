import { contributorsOf, metadataOf, type Contributor, type Place } from '../metadata.ts';
import type { Document, Node } from './ast.ts';

/**
 * Returns the document with the metadata that `jats.template` writes. The document's own metadata stays, so
 * that fields such as `journal.title` and `article.volume` are written too.
 */
export function withJatsMetadata(document: Document): Document {
  const { abstract, author: _author, ...meta } = document.meta;
  const { keywords, doi, language, license } = metadataOf(document.meta);
  const { contributors, places } = contributorsOf(document.meta);
  const article = meta.article?.t === 'MetaMap' ? (meta.article.c as Record<string, Node>) : {};
  return {
    ...document,
    meta: {
      'reference-section-title': string('References'),
      ...meta,
      'link-citations': { t: 'MetaBool', c: true },
      ...(abstract && { abstract: inBlocks(abstract) }),
      author: list(contributors.map((one) => authorOf(one, places))),
      affiliation: list(places.map(placeOf)),
      corresponding: list(
        contributors.flatMap((one, i) =>
          one.corresponding && one.email
            ? [map({ id: string(`cor-${i + 1}`), email: string(one.email) })]
            : [],
        ),
      ),
      tags: list((keywords ?? []).map(string)),
      ...(language && { lang: string(language) }),
      ...(license && !isList(meta.license) && { license: meta.license ?? string(license) }),
      article: map({ ...article, ...(doi && { doi: string(doi) }) }),
    },
  };

  function authorOf(one: Contributor, known: Place[]): Node {
    const { name, given, surname, email, orcid } = one;
    return map({
      ...(given && surname
        ? { surname: string(surname), given: string(given) }
        : { name: string(name) }),
      ...(email && { email: string(email) }),
      ...(orcid && { orcid: string(orcid) }),
      ...(one.corresponding && { corresponding: { t: 'MetaBool', c: true } }),
      ...(one.corresponding && email && { note: string(`cor-${contributors.indexOf(one) + 1}`) }),
      affiliation: list(
        (one.places ?? []).map((place) => string(`aff-${known.indexOf(place) + 1}`)),
      ),
    });
  }
}

function placeOf(place: Place, i: number): Node {
  const { line: _line, ...parts } = place;
  return map({
    id: string(`aff-${i + 1}`),
    ...Object.fromEntries(Object.entries(parts).map(([key, text]) => [key, string(text)])),
  });
}

const string = (c: string): Node => ({ t: 'MetaString', c });
const list = (c: Node[]): Node => ({ t: 'MetaList', c });
const map = (c: Record<string, Node>): Node => ({ t: 'MetaMap', c });
const isList = (node: Node | undefined) => node?.t === 'MetaList' || node?.t === 'MetaMap';

const inBlocks = (abstract: Node): Node =>
  abstract.t === 'MetaInlines' ? { t: 'MetaBlocks', c: [{ t: 'Para', c: abstract.c }] } : abstract;
