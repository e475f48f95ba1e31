import { codeOfTable, plainCode } from './code.ts';
import { formula, mathIn } from './formulas.ts';
import { embedded, image, isCopyButton, picture, withoutScript } from './media.ts';
import {
  attribute,
  classOf,
  isElement,
  textOf,
  type Element,
  type Node,
  type Parent,
} from './parse.ts';

/**
 * Makes plain HTML of what pages do in ways of their own: formulas, highlighted code, pictures that
 * scripts load, things embedded. Readability removes many of them otherwise.
 */
export const prepare = (page: Parent): void =>
  visit(page, { firstMath: mathIn(page), inHeading: false });

interface Place {
  firstMath: ReturnType<typeof mathIn>;
  inHeading: boolean;
}

function visit(parent: Parent, place: Place): void {
  const { childNodes } = parent;
  let changed: Node[] | undefined;
  for (let i = 0; i < childNodes.length; i++) {
    const node = childNodes[i]!;
    let instead = isElement(node) ? replacement(node, childNodes, i, place) : undefined;
    if (instead === undefined) {
      if (isElement(node)) visit(node, within(node, place));
      changed?.push(node);
      continue;
    }
    changed ??= childNodes.slice(0, i);
    if (node.nodeName === 'noscript') instead = addPictures(node as Element, changed);
    for (const each of instead) {
      each.parentNode = parent;
      changed.push(each);
    }
  }
  if (changed) parent.childNodes = changed;
}

const within = ({ tagName }: Element, place: Place): Place =>
  /^h[1-6]$/.test(tagName) ? { ...place, inHeading: true } : place;

/** What an element becomes; undefined if it stays as it is. */
function replacement(
  element: Element,
  siblings: Node[],
  at: number,
  { firstMath, inHeading }: Place,
): Node[] | undefined {
  switch (element.tagName) {
    case 'pre':
    case 'listing':
    case 'xmp':
    case 'plaintext':
      return [plainCode(element)];
    case 'table': {
      const code = codeOfTable(element);
      return code && [code];
    }
    case 'picture':
      return picture(element);
    case 'noscript':
      return [];
    case 'video':
    case 'audio':
    case 'iframe':
      return embedded(element);
    case 'a':
      return isAnchor(element, inHeading) ? [] : undefined;
    case 'code':
    case 'head':
      return undefined;
    default:
      if (isCopyButton(element)) return [];
  }
  const found = formula(element, siblings.slice(at + 1, at + 4), firstMath);
  return found ?? (element.tagName === 'img' ? image(element) : undefined);
}

/** Adds the pictures of a `noscript`. They replace a picture before it that holds their place. */
function addPictures(noscript: Element, to: Node[]): Node[] {
  const at = to.findLastIndex((node) => !('value' in node && node.value.trim() === ''));
  const before = to[at];
  const element = before && isElement(before) ? before : undefined;
  const pictures = withoutScript(noscript, element);
  if (element?.tagName === 'img' && pictures.length > 0) to.splice(at, 1);
  return pictures;
}

/** Whether a link shows where a heading or a definition begins, and leads nowhere else. */
function isAnchor(link: Element, inHeading: boolean): boolean {
  if (!/^[^?]*#/.test(attribute(link, 'href') ?? '')) return false;
  const isNamed =
    /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchor|anchorjs-link|heading-anchor|permalink)(?:\s|$)/;
  return (
    (inHeading || isNamed.test(classOf(link))) &&
    /^(?:[\s¶#§⚓∞☍🔗\u{200b}]|\u{fe0e}|\u{fe0f})*$/u.test(textOf(link))
  );
}
