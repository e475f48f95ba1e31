import type { ScalarTag, YAMLWarning } from 'yaml';
import { fromBase64 } from '../bytes.ts';
import { quoted } from './verdict.ts';

// Checks nodes with explicit tags. For a value that does not match its tag, the library only warns and uses
// the value as a string, or it reports an internal exception.

const namespace = 'tag:yaml.org,2002:';

interface Explicit {
  fits(text: string): boolean;
  value(text: string): unknown;
}

const shaped = (shape: RegExp, value: Explicit['value']): Explicit => ({
  fits: (text) => shape.test(text),
  value,
});

/** Types of the core schema (YAML 1.2.2, section 10.3.2), and two types of YAML 1.1 (yaml.org/type). */
const scalars: Record<string, Explicit> = {
  null: shaped(/^(?:null|Null|NULL|~|)$/, () => null),
  bool: shaped(/^(?:true|True|TRUE|false|False|FALSE)$/, (text) => /^t/i.test(text)),
  int: shaped(/^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/, Number),
  float: shaped(
    /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    (text) => (/\d/.test(text) ? Number(text) : text.toLowerCase()),
  ),
  binary: { fits: (text) => fromBase64(text) !== undefined, value: (text) => text },
  timestamp: { fits: isTimestamp, value: (text) => new Date(text.slice(0, 10)) },
};

function isTimestamp(text: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)\d\d?:[0-5]\d:[0-5]\d(?:\.\d*)?[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?)?)?$/.exec(
      text,
    ) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Tags for the library's option `customTags`. They apply to explicit tags only. */
export const explicitTags: ScalarTag[] = Object.entries(scalars).map(([name, { fits, value }]) => ({
  tag: namespace + name,
  resolve(text, onError) {
    if (fits(text)) return value(text);
    onError(
      `${quoted(text)} is no value of !!${name}${name === 'binary' ? ': it is not base64' : ''}`,
    );
    return text;
  },
}));

const known = new Set(['map', 'seq', 'str', ...Object.keys(scalars)]);

/** Returns the error for a warning of the library that is an error by the standard; else undefined. */
export function faultOfWarning({ code, message }: YAMLWarning): string | undefined {
  const name = message.split(namespace)[1]?.split(' ')[0];
  switch (code) {
    case 'BAD_DIRECTIVE':
      return /^Unsupported YAML version (?!1\.)/.test(message)
        ? `${message}; write %YAML 1.2`
        : undefined;
    case 'BAD_COLLECTION_TYPE':
      return `!!${name} stands before another kind of node`;
    case 'TAG_RESOLVE_FAILED':
      // Other tags belong to applications.
      return name !== undefined && known.has(name)
        ? `!!${name} stands before another kind of node`
        : undefined;
    default:
      return undefined;
  }
}
