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

/** A schema without its default or optionality. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

/** The dotted paths of all fields that an object of this schema may have, also in the objects in it. */
export function fieldPaths({ shape }: z.ZodObject, group = ''): string[] {
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const inner = unwrap(field);
    const path = group + name;
    return inner instanceof z.ZodObject ? [path, ...fieldPaths(inner, `${path}.`)] : [path];
  });
}

declare module 'zod' {
  interface GlobalMeta {
    /** The JSON Schema to publish in place of what zod would derive. */
    override?: Record<string, unknown>;
  }
}
