import { isElement, type Element } from './parse.ts';

/** Elements without visible content, or whose content has no Markdown. */
const unseen = new Set(
  (
    'area audio base canvas col colgroup datalist dialog embed frame frameset head iframe link map meta ' +
    'noembed noframes noscript object optgroup option param script select source style svg template ' +
    'title track video'
  ).split(' '),
);

/** Block elements (HTML, 15.3). */
export const blocks = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ' +
    'ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp'
  ).split(' '),
);

const hides = ({ name, value }: { name: string; value: string }) =>
  name === 'hidden' ||
  (name === 'style' && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value));

/** Whether an element is hidden by its name, an attribute or its own style. */
export const isHidden = ({ tagName, attrs }: Element) => unseen.has(tagName) || attrs.some(hides);

const known = new WeakMap<Element, boolean>();

/** Whether an element is or contains a block. */
export function holdsBlocks(element: Element): boolean {
  const before = known.get(element);
  if (before !== undefined) return before;
  const holds =
    blocks.has(element.tagName) ||
    (!unseen.has(element.tagName) &&
      element.childNodes.some((node) => isElement(node) && holdsBlocks(node)));
  known.set(element, holds);
  return holds;
}
