import {
  isScalar,
  LineCounter,
  parseAllDocuments,
  Parser,
  visit,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { countTree, inWords } from './tree.ts';
import { placeOf, type Issue, type Verdict } from './verdict.ts';

/** How often one anchor's content may be repeated, counting repeats within repeats. */
const maxAliasCount = 100;
/** Aliases in a document; the library's time grows with their square. */
const maxAliases = 5000;

/** YAML 1.2, core schema, any number of documents. */
export function validateYaml(text: string): Verdict {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: lines,
    uniqueKeys: false, // compares every key with every other; see duplicateKey
  });
  const documents = parsed as Document.Parsed<ParsedNode>[];
  const errors = [...directiveErrors(text), ...documents.flatMap((doc) => errorsOf(doc, lines))];
  if (errors.length > 0) return { errors, details: {} };
  const expanded = documents.map((doc) => valueOf(doc, lines));
  const failed = expanded.flatMap((each) => ('error' in each ? [each.error] : []));
  if (failed.length > 0) return { errors: failed, details: {} };
  const values = expanded.flatMap((each) => ('value' in each ? [each.value] : []));
  return {
    errors: [],
    summary: values.length > 1 ? `${values.length} documents` : inWords(values[0]),
    details: { documents: values.length, ...countTree(values[0]) },
  };
}

function errorsOf(doc: Document.Parsed, lines: LineCounter): Issue[] {
  const errors = doc.errors.map(({ code, message, pos }) => {
    // The library has caught it; it says nothing about the text.
    if (code === 'RESOURCE_EXHAUSTION') throw new RangeError(message);
    return at(lines, pos[0], message);
  });
  if (errors.length > 0) return errors;
  const anchors = new Set<string>();
  let aliases = 0;
  visit(doc, {
    Value(_, { anchor }) {
      if (anchor) anchors.add(anchor);
    },
    Alias(_, alias) {
      if (++aliases > maxAliases) {
        errors.push(at(lines, alias.range?.[0] ?? 0, `more than ${maxAliases} aliases`));
        return visit.BREAK;
      }
      if (anchors.has(alias.source)) return undefined;
      errors.push(at(lines, alias.range?.[0] ?? 0, `alias *${alias.source} has no anchor`));
      return undefined;
    },
    Map(_, map) {
      if (map.anchor) anchors.add(map.anchor);
      const key = duplicateKey(map);
      if (key) errors.push(at(lines, key.range?.[0] ?? 0, `key ${String(key.value)} stands twice`));
    },
  });
  return errors;
}

/** A scalar key that its mapping has before (YAML 1.2, section 3.2.1.1). Empty keys are let pass. */
function duplicateKey(map: YAMLMap): Scalar | undefined {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    if (!isScalar(key) || key.value === null) continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return undefined;
}

function valueOf(doc: Document.Parsed, lines: LineCounter): { value: unknown } | { error: Issue } {
  try {
    return { value: doc.toJS({ maxAliasCount, mapAsMap: true }) };
  } catch (error) {
    if (error instanceof ReferenceError) {
      const reason = 'aliases repeat more content than is safe to expand';
      return { error: at(lines, doc.range[0], reason) };
    }
    throw error;
  }
}

function at(lines: LineCounter, offset: number, message: string): Issue {
  const { line, col } = lines.linePos(offset);
  return { message, line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** What the library lets pass: a directive without a document, and two %YAML for one (6.8.1, 9.2). */
function directiveErrors(text: string): Issue[] {
  if (!/^%/m.test(text)) return [];
  const errors: Issue[] = [];
  let pending: { offset: number; isVersion: boolean }[] = [];
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') pending = [];
    if (token.type !== 'directive') continue;
    const isVersion = token.source.startsWith('%YAML');
    if (isVersion && pending.some((earlier) => earlier.isVersion)) {
      errors.push({ message: 'a second %YAML directive', ...placeOf(text, token.offset) });
    }
    pending.push({ offset: token.offset, isVersion });
  }
  if (pending[0]) {
    errors.push({ message: 'a directive without a document', ...placeOf(text, pending[0].offset) });
  }
  return errors;
}
