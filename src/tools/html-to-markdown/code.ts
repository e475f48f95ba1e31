import type { BlockContent, PhrasingContent } from 'mdast';
import { attribute, elementsIn, isElement, textOf, type Element } from './parse.ts';

/** Returns a formula in its TeX source, if the page contains the source. */
export function formula(element: Element): PhrasingContent[] {
  const annotation = elementsIn(element, 'annotation').find(
    (each) => attribute(each, 'encoding') === 'application/x-tex',
  );
  const tex = annotation ? textOf(annotation) : attribute(element, 'alttext');
  if (tex === undefined) return [{ type: 'text', value: textOf(element) }];
  // Markdown has no formulas; renderers read them between dollar signs. `<` is replaced, so that no tag
  // begins.
  return [{ type: 'html', value: `$${oneLine(tex).replaceAll('<', '\\lt ')}$` }];
}

export const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

/** Returns a code block with its language. */
export function code(element: Element): BlockContent {
  const named = [element, ...elementsIn(element, 'code'), element.parentNode].filter(
    (each): each is Element => each !== null && isElement(each),
  );
  const lang = named.map(language).find(Boolean) ?? null;
  // One line feed at the start (dropped by the parser) and one at the end belong to the tags.
  return { type: 'code', lang, value: textOf(element).replace(/\n$/, '') };
}

/** Returns the language of code by the class names of syntax highlighters. */
function language(element: Element): string | undefined {
  const classes = attribute(element, 'class') ?? '';
  const said = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)(\S+)/.exec(classes)?.[1];
  return said ?? attribute(element, 'data-lang') ?? attribute(element, 'data-language');
}
