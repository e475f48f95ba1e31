import { z } from 'zod';

/** One error of an input. */
export const issueShape = z.object({
  message: z.string(),
  line: z.int().optional().describe('From 1; for json, yaml and toml'),
  column: z.int().optional().describe('From 1; for json, yaml and toml'),
  path: z.string().optional().describe('JSON Pointer into the instance; for json_schema'),
});
export type Issue = z.infer<typeof issueShape>;

/** The result of a validator. `errors` is empty if and only if the input is valid. */
export interface Verdict {
  errors: Issue[];
  /** Name of the input in messages, if it differs from the name of the type. */
  label?: string;
  /** Description of a valid input for a sentence, such as "an object with 3 keys". */
  summary?: string;
  details: Record<string, unknown>;
}

/** Returns the verdict on an input with one error. */
export const invalid = (error: Issue | string, details: Record<string, unknown> = {}): Verdict => ({
  errors: [typeof error === 'string' ? { message: error } : error],
  details,
});

/** Returns line and column, from 1, of an offset in UTF-16 code units. A line ends with LF, CR LF or CR. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** Quotes a part of an input for a message. A long part is cut, and invisible characters are named. */
export function quoted(part: string): string {
  const text = part.length > 60 ? `${part.slice(0, 60).toWellFormed()}…` : part;
  return invisible.exec(part)?.[0] === part ? codePointName(part) : JSON.stringify(text);
}

const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const knownNames: Record<string, string> = {
  '\t': 'a tab',
  '\n': 'a line feed',
  '\r': 'a carriage return',
  ' ': 'a space',
  '\u00a0': 'a no-break space (U+00A0)',
  '\u200b': 'a zero-width space (U+200B)',
  '\ufeff': 'a byte order mark (U+FEFF)',
};

function codePointName(character: string): string {
  const hexadecimal = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return knownNames[character] ?? `the invisible character U+${hexadecimal}`;
}
