import { createScanner, visit } from 'jsonc-parser';
import { jsonFault } from './json-fault.ts';
import { countTree, inWords } from './tree.ts';
import { invalid, type Issue, type Verdict } from './verdict.ts';

/**
 * Validates JSON (RFC 8259) with JSON.parse. jsonc-parser finds the positions of errors, and duplicate keys.
 */
export function validateJson(text: string): Verdict {
  const parsed = parseJson(text);
  if ('error' in parsed) return invalid(parsed.error);
  return {
    errors: [],
    summary: inWords(parsed.value),
    details: { ...countTree(parsed.value), duplicate_keys: duplicateKeys(text) },
  };
}

/** Parses JSON. Returns the value, or the error with its position. */
export function parseJson(text: string): { value: unknown } | { error: Issue } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = (error as Error).message;
    return { error: jsonFault(text, offsetOfError(text, reason), reason) };
  }
}

function offsetOfError(text: string, reason: string): number | undefined {
  if (/end of JSON input/.test(reason)) return text.length;
  const said = /at position (\d+)/.exec(reason)?.[1];
  return said === undefined ? firstError(text) : Number(said);
}

/** Returns the offset of the first error, for messages of JSON.parse without a position. */
function firstError(text: string): number | undefined {
  let first: number | undefined;
  const note = (offset: number) => {
    first = Math.min(first ?? Infinity, offset);
  };
  try {
    visit(
      text,
      {
        onError: (_code, offset) => note(offset),
        onComment: note,
      },
      { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the text is nested too deeply for the parser's recursion
  }
  return first;
}

/** Returns the names that an object has more than once, which RFC 8259, section 4, leaves undefined. */
function duplicateKeys(text: string): string[] {
  const scanner = createScanner(text, true);
  const objects: (Set<string> | undefined)[] = [];
  const duplicates = new Set<string>();
  let last = '';
  const next = () => (scanner.scan(), text[scanner.getTokenOffset()]);
  for (let first = next(); first !== undefined; first = next()) {
    if (first === '"') last = scanner.getTokenValue();
    else if (first === '{') objects.push(new Set());
    else if (first === '[') objects.push(undefined);
    else if (first === '}' || first === ']') objects.pop();
    else if (first === ':') {
      const seen = objects.at(-1)!;
      if (seen.has(last)) duplicates.add(last);
      seen.add(last);
    }
  }
  return [...duplicates];
}
