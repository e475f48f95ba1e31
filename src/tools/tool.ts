import { z } from 'zod';
import type { Context } from '../context.ts';
import { base64Fault, fromBase64 } from './bytes.ts';
import type { UnreadBody } from './unread-body.ts';

/** Bytes in a mebibyte. Limits that the specification gives in MB are meant in these. */
export const MiB = 1024 * 1024;

/** Credits of a price class (specification, "What the service does"). */
export const price = { free: 0, standard: 1, premium: 5 } as const;

/**
 * Seconds of processor time after which a tool counts as hanging. The longest ordinary input, 1 MB of
 * CSS to format, takes 2.6.
 */
export const usualComputingSeconds = 4;

/** How bytes come in by a multipart form, beside the JSON body. */
export interface Upload {
  /** Path below `/api/`. */
  path: string;
  /** Form field of the file; its bytes become this field of the input. */
  field: string;
  as: string;
  /** Largest file in bytes. */
  limit: number;
  /** Input field into which the form's options go that are no input fields themselves. */
  others?: string;
}

export interface Example<I> {
  title: string;
  input: I;
  /** It asks for something on the Internet, which tests do without. */
  needsInternet?: true;
}

/**
 * One tool, whole. It knows its own input, output and price, and nothing of HTTP, keys or credits.
 * Routes, OpenAPI, docs and every other way in are made from this.
 */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  /** Such as `json-escape`. */
  name: string;
  /** Where it takes JSON, below `/api/`; its name unless said. */
  path?: string;
  /** One line: what it does. */
  summary: string;
  /** What a reader must know beyond the fields: rules, standards, limits. Markdown. */
  description?: string;
  credits: number;
  /**
   * Where it runs. `front`: beside everybody else's calls, because its worst input of
   * `lightBodyBytes` takes under 50 ms (test/growth); larger inputs go to the workshop. `workshop`:
   * where computing holds nobody up. `outside`: the front passes the work on to something else, such
   * as a browser, and waits.
   */
  runsIn: 'front' | 'workshop' | 'outside';
  /** Time limit of a call in seconds, without the time that its body takes to arrive. */
  seconds: number;
  /** Processor time without a pause, in seconds; `usualComputingSeconds` unless said. */
  computingSeconds?: number;
  input: I;
  output: O;
  /** The tests run every one of these. */
  examples: Example<z.input<I>>[];
  /** Largest JSON body in bytes; 10 MiB unless said. */
  bodyLimit?: number;
  upload?: Upload;
  /** Over HTTP the answer is a file of one of these types, which `run` gives as `FileAnswer`. */
  answersFile?: readonly string[];
  /** Output fields that HTTP repeats as headers, by the name of the header. */
  headers?: Readonly<Record<string, string>>;
  /** How an input that is not of the schema is refused; `invalid_input` (422) unless said. */
  refusesAs?: 'invalid_request';
  /** A `text/plain` body goes into this input field, and this output field comes back as text. */
  plainText?: { from: keyof z.input<I> & string; to: string };
  run(input: z.output<I>, context: Context): z.input<O> | Promise<z.input<O>>;
  /**
   * Takes the place of `run` over HTTP: the body goes elsewhere unread, and is checked there.
   * Throws as `run` does, and what is wrong with the body too.
   */
  forward?(body: UnreadBody, context: Context): Promise<z.input<O>>;
}

/** Whether one account may have only so many calls of a tool under way (HEAVY_CALLS). */
export const isHeavy = ({ runsIn, credits }: Tool) =>
  runsIn === 'workshop' || credits > price.standard;

/** What a tool with `answersFile` puts out. */
export interface FileAnswer {
  type: string;
  body: Uint8Array;
}

/**
 * Declares a tool. Its schemas are getters, of which each is asked for once and only when it is first
 * needed: to make those of all tools takes half of the time in which a front starts.
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

/**
 * A file's content: base64 in JSON, the bytes themselves in an upload.
 * The tool gets bytes either way.
 */
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
