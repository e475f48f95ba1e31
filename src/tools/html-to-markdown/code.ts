import type { Code } from 'mdast';
import {
  attribute,
  classOf,
  elementsIn,
  everything,
  isElement,
  make,
  textNode,
  textOf,
  type Element,
  type Node,
  type Parent,
} from './parse.ts';
import { rowsOf } from './tables.ts';

/** A block of code with its language, as `plainCode` has made it. */
export function code(element: Element): Code {
  const lang = attribute(element, 'data-lang') ?? null;
  return { type: 'code', lang, value: textOf(element) };
}

/** A `pre` as its code and language alone: without numbers of lines and buttons, with all line feeds. */
export function plainCode(pre: Element): Element {
  // One line feed at the end belongs to the tags.
  return made(linesOf(pre).replace(/\n$/, ''), pre);
}

const made = (text: string, from: Element) =>
  // A parser drops the first line feed, and Readability has the page parsed again.
  make('pre', { 'data-lang': languageOf(from) }, [textNode(text)]);

/** A table that only puts numbers beside lines of code, as that code; undefined for any other. */
export function codeOfTable(table: Element): Element | undefined {
  const rows = rowsOf(table);
  if (rows.length === 0 || !rows.every(isNumbered)) return undefined;
  const inPre = rows.every((cells) => elementsIn(cells.at(-1)!, 'pre').length === 1);
  const isListing =
    inPre ||
    codeTable.test(classOf(table)) ||
    rows.every((cells) => lineOfCode.test(classOf(cells.at(-1)!)));
  if (!isListing) return undefined;
  const lines = rows.map((cells) => linesOf(cells.at(-1)!).replace(/\n$/, ''));
  return made(lines.join('\n'), elementsIn(table, 'pre').at(-1) ?? table);
}

/** Two cells, the first of which has nothing but numbers of lines. */
const isNumbered = ([first, last, more]: Element[]) =>
  first && last && !more && isNumbers(first) && (isGutter(first) || textOf(first).trim() !== '');

/** Whether an element has nothing but white space and digits; other text ends the search. */
function isNumbers(element: Element): boolean {
  for (const node of everything(element)) {
    if ('value' in node && /[^\s\d]/.test(node.value)) return false;
  }
  return true;
}

/** Class names by which highlighters mark tables of code, a line in one, and numbers of lines. */
const codeTable =
  /(?:^|\s)(?:hljs-ln|highlight|highlighttable|codehilitetable|rouge-table|lntable|js-file-line-container)(?:\s|$)/;
const lineOfCode = /(?:^|\s)(?:blob-code|hljs-ln-code|js-file-line|code)(?:\s|$)|blob-code/;
const gutter =
  /(?:^|\s)(?:ln|lnt|lineno|linenos|linenum|linenumber|lineNumber|line-number|line-numbers-rows|gutter|blob-num|hljs-ln-numbers|hljs-ln-n|rouge-gutter|linenodiv|react-syntax-highlighter-line-number)(?:\s|$)/;
const line =
  /(?:^|\s)(?:line|code-line|codeline|token-line|view-line|hljs-ln-line|CodeMirror-line|cm-line|LineContent)(?:\s|$)/i;
const startsLine = new Set(['div', 'li', 'tr', 'p', 'ol', 'ul', 'table', 'tbody', 'pre']);
const left = new Set(['button', 'script', 'style', 'textarea', 'clipboard-copy', 'svg']);

const isLine = (node: Node): node is Element =>
  isElement(node) &&
  (startsLine.has(node.tagName) ||
    line.test(classOf(node)) ||
    attribute(node, 'data-line') !== undefined ||
    /display\s*:\s*block/i.test(attribute(node, 'style') ?? ''));

const isGutter = (element: Element) =>
  (gutter.test(classOf(element)) || attribute(element, 'data-line-number') !== undefined) &&
  isNumbers(element);

/** The text of code; an element that shows a line of its own ends with a line feed. */
function linesOf(element: Parent): string {
  // Without any line feed in the code, layout alone separates its lines.
  const isBare = !textOf(element).includes('\n');
  let text = '';
  const end = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
  };
  const add = (parent: Parent) => {
    const lines = isBare ? separated(parent) : undefined;
    for (const node of parent.childNodes) {
      if (!isElement(node)) {
        if ('value' in node && node.nodeName === '#text' && !(lines && /^\s*$/.test(node.value)))
          text += node.value;
        continue;
      }
      if (node.tagName === 'br') text += '\n';
      if (left.has(node.tagName) || isGutter(node)) continue;
      if (lines?.has(node)) {
        add(node);
        text += '\n';
      } else if (isLine(node)) {
        end();
        add(node);
        if (startsLine.has(node.tagName)) end();
      } else {
        add(node);
      }
    }
  };
  add(element);
  return text;
}

/** The children that are one line each. */
function separated(parent: Parent): Set<Element> | undefined {
  const children = parent.childNodes.filter(isElement);
  const lines = children.filter(isLine);
  const each = lines.length > 1 ? lines : children.filter(({ tagName }) => tagName === 'code');
  return each.length > 1 ? new Set(each) : undefined;
}

/** Elements around code that may name its language. */
const around = 6;
const containers = new Set('div figure section span td tr tbody table pre code'.split(' '));

/** The language of code, as it or an element in it or around it says by the names of highlighters. */
function languageOf(element: Element): string | undefined {
  const named = [element, ...elementsIn(element, 'code')];
  for (
    let at = element.parentNode, i = 0;
    at && isElement(at) && i < around;
    at = at.parentNode, i++
  ) {
    if (!containers.has(at.tagName) && !at.tagName.includes('-')) break;
    named.push(at);
  }
  const said = named.map(language).find(Boolean);
  return said === undefined || /^(?:none|default|auto|unknown|plain)$/i.test(said)
    ? undefined
    : said;
}

/** Languages that a class name, which says nothing else, or `lang` means. */
const languages =
  /^(?:ada|apache|applescript|asm|bash|bat|batch|c|c\+\+|clojure|cmake|coffeescript|console|cpp|cs|csharp|css|cuda|cython|dart|diff|docker|dockerfile|elixir|elm|erlang|f#|fortran|fsharp|glsl|go|golang|gradle|graphql|groovy|haskell|hcl|html|http|ini|java|javascript|js|json|json5|jsonc|jsx|julia|kotlin|latex|less|lisp|lua|makefile|markdown|matlab|md|mermaid|mysql|nginx|nim|nix|objc|objectivec|objective-c|ocaml|perl|php|plsql|postgresql|powershell|prolog|properties|proto|protobuf|ps1|puppet|py|pycon|python|python3|r|racket|rb|ruby|rs|rust|sass|scala|scheme|scss|sh|shell|solidity|sql|svelte|swift|tcl|terraform|tex|toml|ts|tsx|typescript|vb|verilog|vhdl|vim|vue|wasm|xml|yaml|yml|zig|zsh)$/i;

function language(element: Element): string | undefined {
  const classes = classOf(element);
  const said =
    /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source|text)-|brush:\s*)(\S+?);?(?:\s|$)/.exec(
      classes,
    )?.[1];
  if (said) return said.replace(/-basic$/, '');
  const data = attribute(element, 'data-lang') ?? attribute(element, 'data-language');
  if (data) return data;
  const sphinx = /(?:^|\s)highlight-(\S+)\s+notranslate/.exec(classes)?.[1];
  if (sphinx) return sphinx === 'python3' || sphinx === 'ipython3' ? 'python' : sphinx;
  const lang = attribute(element, 'lang');
  if (lang && languages.test(lang)) return lang;
  if (
    !/(?:^|\s)(?:hljs|highlight|sourceCode|codehilite|shiki|prettyprint|src)(?:\s|$)/.test(classes)
  )
    return undefined;
  return classes
    .split(/\s+/)
    .map((each) => each.replace(/^src-/, ''))
    .find((each) => languages.test(each));
}
