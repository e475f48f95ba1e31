import { getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { countTree, inWords } from './tree.ts';
import { invalid, placeOf, quoted, type Verdict } from './verdict.ts';

/** Validates TOML 1.1 or 1.0. */
export function validateToml(text: string, version: '1.0' | '1.1'): Verdict {
  const bare = /\r(?!\n)/.exec(text);
  if (bare) {
    return invalid({
      message: 'a carriage return that no line feed follows',
      ...placeOf(text, bare.index),
    });
  }
  try {
    // One byte order mark is allowed, at the start.
    const value = getStaticTOMLValue(
      parseTOML(text.replace(/^\uFEFF/, ''), { tomlVersion: version }),
    );
    return { errors: [], summary: inWords(value), details: { version, ...countTree(value) } };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { message, index, lineNumber, column } = error;
    const place = { line: lineNumber, column: column + 1 };
    if (message !== 'Unexpected character') return invalid({ message, ...place });
    const found = String.fromCodePoint(text.replace(/^\uFEFF/, '').codePointAt(index) ?? 0);
    return invalid({ message: `${quoted(found)} is not expected here`, ...place });
  }
}
