import { z } from 'zod';
import type { Context } from '../context.ts';
import { base64Fault, fromBase64 } from './bytes.ts';
import type { UnreadBody } from './unread-body.ts';

/** Bytes in a mebibyte. Limits in MB in the specification are mebibytes. */
export const MiB = 1024 * 1024;

/** Credits of each price class (docs/specification.md). */
export const price = { free: 0, standard: 1, premium: 5 } as const;

/**
 * Seconds of processor time after which a tool counts as hanging. The slowest ordinary input, 1 MB of CSS to
 * format, takes 2.6 s.
 */
export const usualComputingSeconds = 4;

/** The multipart form by which a tool accepts a file. */
export interface Upload {
  /** Path below `/api/`. */
  path: string;
  /** Form field of the file. */
  field: string;
  /** Input field that gets the bytes of the file. */
  as: string;
  /** Largest file in bytes. */
  limit: number;
  /** Input field that also gets all options of the form. */
  others?: string;
}

export interface Example<I> {
  title: string;
  input: I;
  /** The example needs the Internet, so tests do not run it. */
  needsInternet?: true;
}

/**
 * A tool: its schemas, price, examples and code. A tool knows nothing of HTTP, keys or the balance. Routes,
 * OpenAPI, docs, MCP tools and RPC methods are derived from this.
 */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  /** Such as `json-escape`. */
  name: string;
  /** Path below `/api/` for JSON bodies; by default the name. */
  path?: string;
  /** One line about the purpose of the tool. */
  summary: string;
  /** Rules, standards and limits that the fields do not show, in Markdown. */
  description?: string;
  credits: number;
  /**
   * The part of the service that runs the tool. `front`: the isolate that serves all calls. Its worst input
   * of `lightBodyBytes` takes less than 50 ms (test/growth), and larger inputs go to the workshop.
   * `workshop`: processes in which computing delays no other call. `outside`: the front, which waits for an
   * external system such as a browser.
   */
  runsIn: 'front' | 'workshop' | 'outside';
  /** Time limit of a call in seconds. The time in which the body arrives is not counted. */
  seconds: number;
  /** Limit of processor time without a pause in seconds; by default `usualComputingSeconds`. */
  computingSeconds?: number;
  input: I;
  output: O;
  /** Examples for the docs. Tests run them all. */
  examples: Example<z.input<I>>[];
  /** Largest JSON body in bytes; by default 10 MiB. */
  bodyLimit?: number;
  upload?: Upload;
  /** Media types of the file that HTTP answers with. `run` returns a `FileAnswer`. */
  answersFile?: readonly string[];
  /** Maps names of response headers to the output fields that HTTP repeats in them. */
  headers?: Readonly<Record<string, string>>;
  /** Error code for an input that does not match the schema; by default `invalid_input` (422). */
  refusesAs?: 'invalid_request';
  /** The input field for a `text/plain` body, and the output field of the `text/plain` answer. */
  plainText?: { from: keyof z.input<I> & string; to: string };
  run(input: z.output<I>, context: Context): z.input<O> | Promise<z.input<O>>;
  /**
   * Runs a call over HTTP instead of `run`, if present. Passes the unread body to another process, which
   * validates it. Throws the errors of `run` and of invalid bodies.
   */
  forward?(body: UnreadBody, context: Context): Promise<z.input<O>>;
}

/** Whether the number of simultaneous calls of an account is limited for a tool (HEAVY_CALLS). */
export const isHeavy = ({ runsIn, credits }: Tool) =>
  runsIn === 'workshop' || credits > price.standard;

/** The output of a tool with `answersFile`. */
export interface FileAnswer {
  type: string;
  body: Uint8Array;
}

/**
 * Declares a tool. Its schemas are getters, each of which is evaluated once, at the first use. Creating the
 * schemas of all tools at the start would double the start time of a front.
 */
export function defineTool<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  tool: Tool<I, O> & { name: N },
): Tool<I, O> & { name: N } {
  for (const field of ['input', 'output'] as const) {
    const { get } = Object.getOwnPropertyDescriptor(tool, field)!;
    Object.defineProperty(tool, field, {
      get: () => {
        const value: unknown = get!.call(tool);
        Object.defineProperty(tool, field, { value });
        return value;
      },
      configurable: true,
    });
  }
  return tool;
}

/** Returns the schema of a file's content: base64 in JSON, or bytes from a form. The tool gets bytes. */
export function fileContent(describe: string) {
  return z
    .union([z.string(), z.instanceof(Uint8Array)], {
      error: ({ input }) => (input === undefined ? 'is required, as base64' : 'must be a string'),
    })
    .transform((content, context) => {
      if (typeof content !== 'string') return content;
      const bytes = fromBase64(content);
      if (bytes) return bytes;
      context.addIssue({ code: 'custom', message: `must be base64: ${base64Fault(content)}` });
      return z.NEVER;
    })
    .meta({ description: describe, override: { type: 'string', contentEncoding: 'base64' } });
}
