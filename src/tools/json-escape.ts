import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { defineTool, price } from './tool.ts';

const action = z.enum(['escape', 'unescape']);

export const jsonEscape = defineTool({
  name: 'json-escape',
  summary: 'Escape text for a JSON string, and back',
  description: `This tool is free and needs no API key. Calls without a key are limited for each client address. The output
of \`escape\` is the inside of a JSON string, without the quotes. With \`Content-Type: text/plain\` the body is
the text to escape, and the response is the escaped text.`,
  credits: price.free,
  runsIn: 'front',
  seconds: 10,
  get input() {
    return z.object({ input: z.string(), action: action.default('escape') });
  },
  get output() {
    return z.object({ output: z.string(), action });
  },
  examples: [
    { title: 'escape', input: { input: 'say "hi"\n' } },
    { title: 'unescape', input: { input: 'caf\\u00e9', action: 'unescape' } },
  ],
  plainText: { from: 'input', to: 'output' },
  run: ({ input, action }) => ({
    output: action === 'escape' ? JSON.stringify(input).slice(1, -1) : unescape(input),
    action,
  }),
});

function unescape(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(`"${text}"`);
  } catch {
    throw invalidInput('input', 'is not the inside of a JSON string (leave the outer quotes off)');
  }
  if (typeof value === 'string' && value.isWellFormed()) return value;
  throw invalidInput('input', 'has an escape that is half of a surrogate pair');
}
