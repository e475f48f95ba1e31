import { createHash } from 'node:crypto';
import { call } from '../../src/call.ts';
import { anonymous } from '../../src/account/caller.ts';
import type { Context } from '../../src/context.ts';
import { ServiceError } from '../../src/errors.ts';
import { offlineEngine } from '../../src/text-model/offline/engine.ts';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { schemaOf } from '../../src/tools/schema.ts';
import { fields } from './fields.ts';
import { write, type Recipe } from './recipes.ts';

/** One call to be made. */
export interface Measurement {
  /** Index in `fields`. */
  field: number;
  recipe: Recipe;
  /** Characters. */
  size: number;
}

export interface Measured {
  /** Processor time of the call. */
  ms: number;
  /** `ok`, a refusal's status, or what went wrong. */
  outcome: string;
}

const client = {
  account: undefined,
  requestId: 'growth',
  signal: new AbortController().signal,
  ignored: new Map(),
};
const context = { textEngine: offlineEngine, client } as Context;

// workerd has MD5 in WebCrypto, Node has not.
const { subtle } = crypto;
const digest = subtle.digest.bind(subtle);
subtle.digest = async (name, data) => {
  if (name !== 'MD5') return digest(name, data);
  const { buffer } = new Uint8Array(
    createHash('md5')
      .update(data as Uint8Array)
      .digest(),
  );
  return buffer;
};

/** What a field of an input may hold, as JSON Schema has it. */
interface Shape {
  type?: string;
  enum?: unknown[];
  maxLength?: number;
  properties?: Record<string, Shape>;
  anyOf?: Shape[];
}

/** Shorter texts cannot take long. */
const shortest = 64;

/** The fields of a tool that take a text of any length, a list or a map, as `options.schema`. */
function openFields(shape: Shape, path: string[] = []): string[] {
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, each]) =>
    openFields(each, [...path, name]),
  );
  const either = (shape.anyOf ?? []).flatMap((each) => openFields(each, path));
  const text = shape.type === 'string' && !shape.enum && (shape.maxLength ?? Infinity) > shortest;
  const many = shape.type === 'array' || (shape.type === 'object' && !shape.properties);
  return [...(text || many ? [path.join('.')] : []), ...inner, ...either];
}

const catalogue = (tools as readonly Tool[]).map(({ name, input }) => ({
  name,
  open: [...new Set(openFields(schemaOf(input, 'input') as Shape))],
}));

process.on('message', (measurement: Measurement | 'catalogue') => {
  if (measurement === 'catalogue') process.send!(catalogue);
  else void measure(measurement).then((measured) => process.send!(measured));
});

async function measure({ field, recipe, size }: Measurement): Promise<Measured> {
  const { tool, input } = fields[field]!;
  const found = (tools as readonly Tool[]).find(({ name }) => name === tool)!;
  const asked = input(write(recipe, size));
  const begun = process.threadCpuUsage();
  const outcome = await outcomeOf(found, asked);
  const { user, system } = process.threadCpuUsage(begun);
  return { ms: (user + system) / 1000, outcome };
}

async function outcomeOf(tool: Tool, input: unknown): Promise<string> {
  try {
    await call(tool, input, anonymous, context);
    return 'ok';
  } catch (error) {
    return error instanceof ServiceError ? String(error.status) : `${error as Error}`.slice(0, 300);
  }
}
