import type { BlockContent, PhrasingContent } from 'mdast';
import { attribute, elementsIn, isElement, textOf, type Element } from './parse.ts';

/** A formula in the TeX that it was made of, where the page tells. */
export function formula(element: Element): PhrasingContent[] {
  const annotation = elementsIn(element, 'annotation').find(
    (each) => attribute(each, 'encoding') === 'application/x-tex',
  );
  const tex = annotation ? textOf(annotation) : attribute(element, 'alttext');
  if (tex === undefined) return [{ type: 'text', value: textOf(element) }];
  // Markdown has no node for it; dollar signs are what renderers know. Nothing in it may be a tag.
  return [{ type: 'html', value: `$${oneLine(tex).replaceAll('<', '\\lt ')}$` }];
}

export const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

/** A block of code with its language. */
export function code(element: Element): BlockContent {
  const named = [element, ...elementsIn(element, 'code'), element.parentNode].filter(
    (each): each is Element => each !== null && isElement(each),
  );
  const lang = named.map(language).find(Boolean) ?? null;
  // One line feed at either end belongs to the tags.
  return { type: 'code', lang, value: textOf(element).replace(/\n$/, '') };
}

/** The language of code, by the class names that highlighters use. */
function language(element: Element): string | undefined {
  const classes = attribute(element, 'class') ?? '';
  const said = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)(\S+)/.exec(classes)?.[1];
  return said ?? attribute(element, 'data-lang') ?? attribute(element, 'data-language');
}
