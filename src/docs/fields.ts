import type { z } from 'zod';
import { schemaOf } from '../tools/schema.ts';

/** One field of a tool's input or output, as the docs show it. */
export interface Field {
  /** Dotted: `options.toc`, `records[].value`. */
  path: string;
  /** In words and code: `integer`, 1 to 100. */
  type: string;
  required: boolean;
  default: unknown;
  description: string;
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  contentEncoding?: string;
}

/** The fields of a schema, those of objects within it after them. */
export const fieldsOf = (schema: z.ZodType, io: 'input' | 'output'): Field[] =>
  within(schemaOf(schema, io) as Schema, '');

function within(schema: Schema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    const own = {
      path,
      type: typeOf(field),
      required: schema.required?.includes(name) ?? false,
      default: field.default,
      description: field.description ?? '',
    };
    return [
      own,
      ...within(field, `${path}.`),
      ...(field.items ? within(field.items, `${path}[].`) : []),
    ];
  });
}

function typeOf(schema: Schema): string {
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}${limits(schema)}`;
  if (schema.contentEncoding) return 'string, base64';
  const values = schema.additionalProperties;
  if (schema.type === 'object' && values && typeof values === 'object') {
    return `object of ${typeOf(values)}`;
  }
  return `${schema.type ?? 'any'}${limits(schema)}`;
}

const code = (value: unknown) => `\`${String(value)}\``;

/** zod gives every integer the bounds of safe integers; these are not shown as limits. */
const safe = (value: number | undefined) =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

function limits(schema: Schema): string {
  const least = safe(schema.minimum) ?? schema.minLength ?? schema.minItems;
  const most = safe(schema.maximum) ?? schema.maxLength ?? schema.maxItems;
  const unit = schema.type === 'string' ? ' characters' : '';
  const number = (value: number) => value.toLocaleString('en');
  if (least !== undefined && most !== undefined)
    return `, ${number(least)} to ${number(most)}${unit}`;
  if (most !== undefined) return `, up to ${number(most)}${unit}`;
  return least ? `, at least ${number(least)}${unit}` : '';
}
