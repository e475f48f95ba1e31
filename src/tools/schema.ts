import { z } from 'zod';

/** Returns the JSON Schema (2020-12) of a tool's input or output. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const meta = z.globalRegistry.get(zodSchema as unknown as z.ZodType);
      if (!meta?.override) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, meta.override, { description: meta.description });
    },
  });
  return rest;
}

declare module 'zod' {
  interface GlobalMeta {
    /** The JSON Schema to publish instead of the one that zod derives. */
    override?: Record<string, unknown>;
  }
}
