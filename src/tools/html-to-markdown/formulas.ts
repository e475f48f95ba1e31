import {
  attribute,
  classOf,
  elementsIn,
  isElement,
  make,
  parsePiece,
  textNode,
  textOf,
  type Element,
  type Node,
  type Parent,
} from './parse.ts';

const texEncoding = /^(?:(?:application|text)\/)?(?:x-)?(?:la)?tex$/i;
const rendered = /(?:^|\s)(?:MathJax|MJX|mjx-|MJXc-)/;
const withMathMl = /(?:^|\s)(?:katex|katex-display|mwe-math-element)(?:\s|$)/;
const delimited = /(?:^|\s)(?:math|arithmatex)(?:\s|$)/;

/**
 * Returns what replaces an element that shows a formula: the formula's TeX in a `code` element, which
 * Readability keeps. Undefined for other elements, and for a formula without TeX.
 */
export function formula(
  element: Element,
  following: (Node | undefined)[],
  firstMath: (element: Element) => Element | undefined,
): Node[] | undefined {
  const { tagName } = element;
  if (tagName === 'math') return fromMathMl(element, false) ?? [element];
  if (tagName === 'script') return fromScript(element);
  if (tagName === 'mjx-container') return fromContainer(element, firstMath(element));
  if (tagName === 'img') return fromImage(element);
  const classes = classOf(element);
  if (classes === '') return undefined;
  if (withMathMl.test(classes)) {
    const math = firstMath(element);
    return math && fromMathMl(math, classes.includes('katex-display'));
  }
  if (rendered.test(classes)) return fromRendered(element, following, firstMath(element));
  return delimited.test(classes) ? fromDelimiters(element) : undefined;
}

/** Returns a look-up of the first `math` in an element, for which the page is gone through once. */
export function mathIn(page: Parent): (element: Element) => Element | undefined {
  let first: Map<Parent, Element> | undefined;
  const read = () => {
    const found = new Map<Parent, Element>();
    for (const math of elementsIn(page, 'math')) {
      let at: Parent | null = math.parentNode;
      while (at && !found.has(at)) {
        found.set(at, math);
        at = 'parentNode' in at ? at.parentNode : null;
      }
    }
    return found;
  };
  return (element) => (first ??= read()).get(element);
}

function fromMathMl(math: Element, display: boolean): Node[] | undefined {
  const annotation = elementsIn(math, 'annotation').find((each) =>
    texEncoding.test(attribute(each, 'encoding') ?? ''),
  );
  const tex = annotation
    ? textOf(annotation)
    : (attribute(math, 'alttext') ?? attribute(math, 'data-latex'));
  const block = display || (attribute(math, 'display') ?? attribute(math, 'mode')) === 'block';
  return tex === undefined ? undefined : written(tex, block);
}

/** The source of MathJax 2, which stands beside the formula as it is shown. */
function fromScript(script: Element): Node[] | undefined {
  const type = attribute(script, 'type') ?? '';
  if (/^math\/tex\b/i.test(type)) return written(textOf(script), /mode\s*=\s*display/i.test(type));
  if (!/^math\/mml\b/i.test(type)) return undefined;
  const [math] = elementsIn(parsePiece(textOf(script)), 'math');
  return math && (fromMathMl(math, false) ?? [math]);
}

/** The formula of MathJax 3 or 4. */
function fromContainer(container: Element, math: Element | undefined): Node[] | undefined {
  const display = attribute(container, 'display') === 'true';
  const shown = container.childNodes.find((node) => node.nodeName === 'mjx-math');
  const tex = shown && attribute(shown as Element, 'data-latex');
  if (tex !== undefined) return written(tex, display);
  return math && (fromMathMl(math, display) ?? [math]);
}

/** What MathJax 2 shows is left out if the source follows. */
function fromRendered(
  element: Element,
  following: (Node | undefined)[],
  inside: Element | undefined,
): Node[] | undefined {
  const isSource = (node: Node | undefined) =>
    node?.nodeName === 'script' && /^math\//i.test(attribute(node as Element, 'type') ?? '');
  if (following.some(isSource)) return [];
  const source = attribute(element, 'data-mathml');
  const math = source === undefined ? inside : elementsIn(parsePiece(source), 'math')[0];
  return math && (fromMathMl(math, classOf(element).includes('Display')) ?? [math]);
}

/** The text between the delimiters that pandoc, Sphinx and MkDocs write for MathJax to find. */
function fromDelimiters(element: Element): Node[] | undefined {
  if (element.childNodes.some(isElement)) return undefined;
  const [, inline, block] =
    /^\s*(?:\\\(([\s\S]*)\\\)|(?:\\\[|\$\$)([\s\S]*)(?:\\\]|\$\$))\s*$/.exec(textOf(element)) ?? [];
  const tex = inline ?? block;
  if (tex === undefined) return undefined;
  return [{ ...element, childNodes: written(tex, block !== undefined) }];
}

/** A picture of a formula, as Wikipedia and WordPress make it, has the TeX as its text. */
function fromImage(image: Element): Node[] | undefined {
  const isTex = /(?:^|\s)(?:latex|tex|mwe-math-fallback-image-(?:inline|display))(?:\s|$)/;
  const tex = attribute(image, 'alt');
  if (!tex || !isTex.test(classOf(image))) return undefined;
  return written(tex, classOf(image).includes('image-display'));
}

function written(source: string, display: boolean): Node[] {
  // A comment would reach to the end of a line, and line breaks mean nothing else in TeX.
  const tex = oneLine(source.replace(/(?<!\\)%.*$/gm, ''));
  if (tex === '') return [];
  return [
    make('code', { 'data-tex': tex, 'data-display': display ? '' : undefined }, [textNode(tex)]),
  ];
}

export const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');
