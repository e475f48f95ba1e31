import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** The method of a RegExp that keywords of JSON Schema use. */
export interface Pattern {
  test(text: string): boolean;
}

/** Steps that backtracking may take for each character of pattern and text. */
const maxStepsPerCharacter = 256;
/** Steps that backtracking may take for a text if RE2 cannot run the pattern: about a millisecond. */
const maxSteps = 1e6;

/**
 * Returns a pattern whose matching time is bounded. The platform's engine runs a pattern that is certain to
 * need few steps. RE2's automaton, which needs linear time, runs the others.
 *
 * `test` throws if neither engine can run the pattern: RE2 supports no look-around and no back references,
 * and with ambiguous repetitions the platform's engine may take forever.
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
      if (steps <= maxStepsPerCharacter * length) return native.test(text);
      linear ??= linearPattern(pattern) ?? native;
      if (linear === native && !(steps <= maxSteps)) throw tooSlow(pattern);
      return linear.test(text);
    },
  };
}

const tooSlow = ({ raw }: AST.Pattern) =>
  new Error(
    `the pattern ${raw} could take forever for such a text; beside look-around and back references, repeat nothing that has choices`,
  );

/**
 * Compiles a pattern for RE2. Look-aheads at the start of the pattern, which RE2 lacks, are tested
 * separately.
 */
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
    return undefined; // other look-around, back references, and some Unicode properties
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

/** Returns an upper bound of the pattern's length with its counted repetitions written out. */
function sizeOf(pattern: AST.Pattern): number {
  let repeated = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ min, element }) => void (repeated += min * element.raw.length),
  });
  return pattern.raw.length + repeated;
}

/**
 * Returns the degree of the polynomial in the text's length that bounds the steps of backtracking. The degree
 * is infinite if the content of a repetition has alternatives, because the time may then grow exponentially.
 */
function degreeOf({ alternatives }: AST.Pattern): number {
  const anchored = alternatives.every(({ elements: [first] }) => isStart(first));
  return choicesOf(alternatives) + (anchored ? 0 : 1);
}

function choicesOf(alternatives: AST.Alternative[]): number {
  const each = alternatives.map(({ elements }) => {
    let [before, worst] = [0, 0];
    for (const element of elements) {
      // A look-around is matched again for each choice before it, but its own choices are not retried.
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

/** Whether an element can match a text in one way only. */
function isPlain(element: AST.Element): boolean {
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') {
    return element.type.startsWith('Character');
  }
  const [only, ...others] = element.alternatives;
  return others.length === 0 && only!.elements.every(isPlain);
}

/** Writes a node in RE2's syntax (github.com/google/re2/wiki/Syntax). Throws if RE2 has no equivalent. */
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

/** `\s` and `.` by ECMA-262 (WhiteSpace and LineTerminator). RE2's have fewer characters. */
const space =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Writes a character set such as `\s` for use inside a character class. */
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
