import {
  attribute,
  elementsIn,
  make,
  parsePiece,
  shortTextOf,
  textNode,
  textOf,
  type Element,
  type Node,
} from './parse.ts';

/** Attributes in which scripts find the picture that they show later. */
const later = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-hi-res-src'];
const laterSets = ['data-srcset', 'data-lazy-srcset', 'srcset'];

/** The address of a picture: of the one that is shown in the end, not of one that holds its place. */
function sourceOf(image: Element): string | undefined {
  const valueOf = (name: string) => usable(attribute(image, name));
  const source = valueOf('src');
  const found = later.map(valueOf).find(Boolean) ?? (holdsPlace(source) ? undefined : source);
  return found ?? laterSets.map((name) => largest(attribute(image, name))).find(Boolean) ?? source;
}

const holdsPlace = (source = '') =>
  /placeholder|spacer|blank|transparent|1x1|lazy|loading/i.test(
    source.slice(source.lastIndexOf('/') + 1),
  );

const usable = (address: string | undefined) =>
  address === undefined || /^\s*(?:data:|about:|$)/i.test(address) ? undefined : address;

/** The address with the largest descriptor of a `srcset` (HTML, 4.8.4.2.1). */
function largest(set: string | undefined): string | undefined {
  let [best, most] = [undefined as string | undefined, -1];
  for (const [, address, size] of (set ?? '').matchAll(
    /\s*([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wxh])?[^,]*(?:,|$)/g,
  )) {
    if (usable(address) === undefined || Number(size ?? 1) <= most) continue;
    [best, most] = [address, Number(size ?? 1)];
  }
  return best;
}

/** A picture with its address in `src`, where Readability and Markdown expect it. */
export function image(element: Element, source = sourceOf(element)): Node[] {
  const [alt, title] = [attribute(element, 'alt'), attribute(element, 'title')];
  return source === undefined ? [] : [make('img', { src: source, alt, title })];
}

/** A `picture` as its `img`, which may have its address from a `source`. */
export function picture(element: Element): Node[] {
  const [shown] = elementsIn(element, 'img');
  const sets = elementsIn(element, 'source').map((each) =>
    largest(attribute(each, 'srcset') ?? attribute(each, 'data-srcset')),
  );
  const source = (shown && sourceOf(shown)) ?? sets.find(Boolean);
  return image(shown ?? element, source);
}

/** The pictures of a `noscript`, if the element before it, as `prepare` has left it, shows none. */
export function withoutScript(element: Element, before: Element | undefined): Node[] {
  const source = textOf(element);
  if (!/<img\b/i.test(source) || (before && showsPicture(before))) return [];
  const piece = parsePiece(source);
  if (textOf(piece).trim() !== '') return [];
  return elementsIn(piece, 'img')
    .filter((each) => !isTiny(each))
    .flatMap((each) => image(each));
}

const showsPicture = (element: Element) =>
  elementsIn(element, 'img').some((each) => !holdsPlace(attribute(each, 'src')));

/** Whether it is there for being fetched, and not to be seen. */
const isTiny = (element: Element) =>
  ['width', 'height'].some((name) => /^[01](?:px)?$/.test(attribute(element, name) ?? '')) ||
  /display\s*:\s*none/i.test(attribute(element, 'style') ?? '');

/** A link to what a `video`, `audio` or `iframe` shows. */
export function embedded(element: Element): Node[] {
  const own = [element, ...elementsIn(element, 'source')];
  const source = own
    .flatMap((each) => [attribute(each, 'src'), attribute(each, 'data-src')])
    .map(usable)
    .find(Boolean);
  const isHidden = attribute(element, 'hidden') !== undefined;
  if (source === undefined || isHidden || isTiny(element)) return [];
  const name = attribute(element, 'title') ?? attribute(element, 'aria-label');
  const label = name?.trim() || (element.tagName === 'iframe' ? source : fileName(source));
  return [make('p', {}, [make('a', { href: source }, [textNode(label)])])];
}

const fileName = (address: string) => /([^/?#]+)\/?(?:[?#].*)?$/.exec(address)?.[1] ?? address;

/** Whether an element has nothing but what copies the code or the address beside it. */
export function isCopyButton(element: Element): boolean {
  const { tagName, attrs } = element;
  if (tagName === 'clipboard-copy') return true;
  if (attrs.length === 0 && tagName !== 'button') return false;
  const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'aria-label') ?? ''}`;
  const copies = /(?:^|[\s_-])(?:copy|clipboard|copybtn|zeroclipboard)/i.test(names);
  if (!copies && tagName !== 'button') return false;
  const text = shortTextOf(element);
  if (text === undefined) return false;
  if (copies && tagName === 'button') return true;
  return (
    /^(?:copy|copied)(?:!|(?: code| to clipboard| link)?)$/i.test(text) || (copies && text === '')
  );
}
