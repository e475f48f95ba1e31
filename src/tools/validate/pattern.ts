import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** What a keyword of JSON Schema does with a regular expression. */
export interface Pattern {
  test(text: string): boolean;
}

/** Steps that a backtracking engine may take for each character, in patterns and in texts. */
const stepsEach = 256;
/** And for one text, where there is no other engine: about a millisecond. */
const stepsAtMost = 1e6;

/**
 * A caller's regular expression, which no text keeps running for long. The platform's own engine runs
 * it where that can be told to be quick; elsewhere RE2's automaton, whose time is linear.
 *
 * `test` throws for what neither can do: look-around or back references beside repetitions that have
 * choices, or too many of them for so long a text.
 */
export function boundedPattern(native: RegExp): Pattern {
  const pattern = new RegExpParser().parsePattern(native.source, undefined, undefined, {
    unicode: true,
  });
  const [degree, size] = [degreeOf(pattern), sizeOf(pattern)];
  let linear: Pattern | undefined;
  return {
    test(text) {
      const length = text.length + size;
      const steps = length ** degree * Math.min(text.length, size);
      if (steps <= stepsEach * length) return native.test(text);
      linear ??= linearPattern(pattern) ?? native;
      if (linear === native && !(steps <= stepsAtMost)) throw tooSlow(pattern);
      return linear.test(text);
    },
  };
}

const tooSlow = ({ raw }: AST.Pattern) =>
  new Error(
    `the pattern ${raw} could take forever for such a text; beside look-around and back references, repeat nothing that has choices`,
  );

/** By RE2, which knows no look-around: what a pattern looks for at a text's beginning is looked for by itself. */
function linearPattern(pattern: AST.Pattern): Pattern | undefined {
  try {
    const { ahead, rest } = split(pattern);
    const wanted = ahead.map(({ negate, alternatives }) => ({
      negate,
      pattern: RE2JS.compile(`^(?:${alternatives.map(re2Of).join('|')})`),
    }));
    const main = RE2JS.compile(rest);
    return {
      test: (text) =>
        wanted.every(({ negate, pattern }) => pattern.test(text) !== negate) && main.test(text),
    };
  } catch {
    return undefined; // other look-around, back references, and some names of properties
  }
}

function split(pattern: AST.Pattern): { ahead: AST.LookaheadAssertion[]; rest: string } {
  const [{ elements }, ...others] = pattern.alternatives as [AST.Alternative];
  const ahead: AST.LookaheadAssertion[] = [];
  if (others.length > 0 || !isStart(elements[0])) return { ahead, rest: re2Of(pattern) };
  for (const element of elements.slice(1)) {
    if (element.type !== 'Assertion' || element.kind !== 'lookahead') break;
    ahead.push(element);
  }
  const rest = elements.slice(1 + ahead.length);
  return { ahead, rest: `^${rest.map(re2Of).join('')}` };
}

const isStart = (element: AST.Element | undefined) =>
  element?.type === 'Assertion' && element.kind === 'start';

/** How many characters it matches one after the other, at most, where nothing is repeated at will. */
function sizeOf(pattern: AST.Pattern): number {
  let repeated = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ min, element }) => void (repeated += min * element.raw.length),
  });
  return pattern.raw.length + repeated;
}

/**
 * By which power of a text's length backtracking may multiply that, at most; infinite where
 * repetitions have choices, and each one more may double the time.
 */
function degreeOf({ alternatives }: AST.Pattern): number {
  const anchored = alternatives.every(({ elements: [first] }) => isStart(first));
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
