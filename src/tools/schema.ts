import { z } from 'zod';

/** The JSON Schema (2020-12) of what a tool takes or gives. */
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
    /** The JSON Schema to publish in place of what zod would derive. */
    override?: Record<string, unknown>;
  }
}
