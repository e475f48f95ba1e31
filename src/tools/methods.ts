import type { z } from 'zod';
import type { tools } from './index.ts';

type AnyTool = (typeof tools)[number];

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** One method for each tool: `html-to-markdown` becomes `htmlToMarkdown`. */
export type ToolMethods<Options> = {
  [T in AnyTool as CamelCase<T['name']>]: (
    input: z.input<T['input']>,
    options?: Options,
  ) => Promise<z.output<T['output']> & Ignored>;
};

/** What an answer has beside its tool's own fields. */
export interface Ignored {
  /** Fields of the input that were ignored, such as `algoritm (did you mean algorithm?)`. */
  ignored_fields?: string[];
}
