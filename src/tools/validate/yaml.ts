import { LineCounter, parseAllDocuments, Parser, type Document, type ParsedNode } from 'yaml';
import { countTree, inWords } from './tree.ts';
import { quoted, type Issue, type Verdict } from './verdict.ts';
import { explicitTags, faultOfWarning } from './yaml-tags.ts';
import { asWritten, repeatsTooMuch, wrongNodes } from './yaml-nodes.ts';

/** Validates YAML 1.2 with the core schema and any number of documents. Aliases are not counted as values. */
export function validateYaml(text: string): Verdict {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: lines,
    customTags: (tags) => [...tags, ...explicitTags],
    uniqueKeys: false, // takes quadratic time; yaml-nodes.ts checks instead
  });
  const documents = parsed as Document.Parsed<ParsedNode>[];
  const errors = [
    ...controlErrors(text, lines),
    ...directiveErrors(text, lines),
    ...documents.flatMap((doc) => errorsOf(doc, lines)),
  ];
  if (errors.length > 0) return { errors, details: {} };
  const repeated = documents.filter(({ contents }) => repeatsTooMuch(contents));
  if (repeated.length > 0) {
    const reason = 'aliases repeat more content than is safe to expand';
    return { errors: repeated.map(({ range }) => at(lines, range[0], reason)), details: {} };
  }
  const root = documents[0]?.contents;
  return {
    errors: [],
    summary: documents.length > 1 ? `${documents.length} documents` : inWords(root, asWritten),
    details: { documents: documents.length, ...countTree(root, asWritten) },
  };
}

function errorsOf(doc: Document.Parsed, lines: LineCounter): Issue[] {
  const errors = doc.errors.map(({ code, message, pos }) => {
    // The library caught a RangeError, which says nothing about the text.
    if (code === 'RESOURCE_EXHAUSTION') throw new RangeError(message);
    return at(lines, pos[0], message);
  });
  for (const warning of doc.warnings) {
    const message = faultOfWarning(warning);
    if (message) errors.push(at(lines, warning.pos[0], message));
  }
  if (errors.length > 0) return errors;
  return wrongNodes(doc.contents).map(({ message, offset }) => at(lines, offset, message));
}

function at(lines: LineCounter, offset: number, message: string): Issue {
  const { line, col } = lines.linePos(offset);
  return { message, line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Returns an error for the first forbidden control character (YAML 1.2.2, sections 5.1 and 5.7). */
function controlErrors(text: string, lines: LineCounter): Issue[] {
  // oxlint-disable-next-line no-control-regex
  const found = /[\0-\x08\x0b\x0c\x0e-\x1f]/.exec(text);
  if (!found) return [];
  return [at(lines, found.index, `${quoted(found[0])} is not allowed in YAML; remove it`)];
}

/** Returns errors that the library misses: a directive without a document, two %YAML for one (6.8.1, 9.2). */
function directiveErrors(text: string, lines: LineCounter): Issue[] {
  if (!/^%/m.test(text)) return [];
  const errors: Issue[] = [];
  /** Offset of the first directive since the last document. */
  let pending: number | undefined;
  let versioned = false;
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') [pending, versioned] = [undefined, false];
    if (token.type !== 'directive') continue;
    const isVersion = token.source.startsWith('%YAML');
    if (isVersion && versioned) errors.push(at(lines, token.offset, 'a second %YAML directive'));
    versioned ||= isVersion;
    pending ??= token.offset;
  }
  if (pending !== undefined) errors.push(at(lines, pending, 'a directive without a document'));
  return errors;
}
