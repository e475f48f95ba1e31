import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** What a keyword of JSON Schema does with a regular expression. */
export interface Pattern {
  test(text: string): boolean;
}

/** Steps that a backtracking engine may take for one text: less than a second. */
const most = 1e8;

/**
 * A caller's regular expression, which no text keeps running for long. The platform's own engine runs
 * it where that can be told to be quick; elsewhere RE2's automaton, whose time is linear.
 *
 * `test` throws for what neither can do: a pattern with look-around or back references whose
 * repetitions have choices.
 */
export function boundedPattern(native: RegExp): Pattern {
  const pattern = new RegExpParser().parsePattern(native.source, undefined, undefined, {
    unicode: true,
  });
  const [degree, size] = [degreeOf(pattern), native.source.length];
  let linear: Pattern | undefined;
  return {
    test(text) {
      if ((text.length + size) ** degree <= most) return native.test(text);
      linear ??= linearPattern(pattern);
      return linear.test(text);
    },
  };
}

function linearPattern(pattern: AST.Pattern): Pattern {
  try {
    return RE2JS.compile(re2Of(pattern));
  } catch (cause) {
    const message = `the pattern ${pattern.raw} could take forever for such a text; look-around and back references go with plain repetitions only`;
    throw new Error(message, { cause });
  }
}

/**
 * To which power of a text's length backtracking may go, at most; infinite where repetitions have
 * choices, and each one more may double the time.
 */
function degreeOf({ alternatives }: AST.Pattern): number {
  const anchored = alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  return choicesOf(alternatives) + (anchored ? 0 : 1);
}

function choicesOf(alternatives: AST.Alternative[]): number {
  const each = alternatives.map(({ elements }) => {
    let [before, worst] = [0, 0];
    for (const element of elements) {
      // What is looked for around here is looked for again for each choice before it, and then left.
      const looksAround = 'alternatives' in element && element.type === 'Assertion';
      if (looksAround) worst = Math.max(worst, before + choicesOf(element.alternatives));
      else before += choicesIn(element);
    }
    return Math.max(worst, before);
  });
  return Math.max(...each) + (alternatives.length > 1 ? 1 : 0);
}

function choicesIn(element: AST.Element): number {
  if (element.type === 'Backreference') return 1;
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return choicesOf(element.alternatives);
  }
  if (element.type !== 'Quantifier') return 0;
  if (!isPlain(element.element)) return Infinity;
  return element.min === element.max ? 0 : 1;
}

/** Whether there is one way only in which it can match a text. */
function isPlain(element: AST.Element): boolean {
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') {
    return element.type.startsWith('Character');
  }
  const [only, ...others] = element.alternatives;
  return others.length === 0 && only!.elements.every(isPlain);
}

/** The same in RE2's syntax (github.com/google/re2/wiki/Syntax). Throws where it has none. */
function re2Of(node: AST.Node): string {
  switch (node.type) {
    case 'Pattern':
      return node.alternatives.map(re2Of).join('|');
    case 'Alternative':
      return node.elements.map(re2Of).join('');
    case 'CapturingGroup':
      return `(?:${node.alternatives.map(re2Of).join('|')})`;
    case 'Group':
      if (node.modifiers) break;
      return `(?:${node.alternatives.map(re2Of).join('|')})`;
    case 'Quantifier':
      return re2Of(node.element) + node.raw.slice(node.element.raw.length);
    case 'Character':
      return `\\x{${node.value.toString(16)}}`;
    case 'CharacterClass':
      if (node.elements.length === 0) return node.negate ? all : `[^${all.slice(1)}`;
      return `[${node.negate ? '^' : ''}${node.elements.map(re2Of).join('')}]`;
    case 'CharacterClassRange':
      return `${re2Of(node.min)}-${re2Of(node.max)}`;
    case 'CharacterSet':
      return node.parent.type === 'CharacterClass' ? rangesOf(node) : `[${rangesOf(node)}]`;
    case 'Assertion':
      if (node.kind === 'start') return '^';
      if (node.kind === 'end') return '$';
      if (node.kind === 'word') return node.negate ? '\\B' : '\\b';
  }
  throw new Error(`RE2 has nothing like ${node.raw}`);
}

const all = '[\\x{0}-\\x{10ffff}]';

/** What `\s` and `.` stand for is more than in RE2 (ECMA-262, WhiteSpace and LineTerminator). */
const space =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** A set as it stands in a character class. */
function rangesOf(set: AST.CharacterSet): string {
  switch (set.kind) {
    case 'any':
      return '^\\n\\r\\x{2028}\\x{2029}';
    case 'digit':
      return set.negate ? '\\D' : '\\d';
    case 'word':
      return set.negate ? '\\W' : '\\w';
    case 'space':
      return set.negate ? noSpace : space;
    case 'property':
      if (/^(?:Script_Extensions|scx)$/.test(set.key)) throw new Error(`RE2 has no ${set.raw}`);
      return `\\${set.negate ? 'P' : 'p'}{${set.value ?? set.key}}`;
  }
}
