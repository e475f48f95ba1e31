import fc from 'fast-check';
import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.ts';

/** Returns random inputs for a tool: valid, almost valid, and hostile. */
export function inputsOf(tool: Tool): fc.Arbitrary<unknown> {
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return fc.oneof(
    { weight: 6, arbitrary: valuesOf(schema) },
    { weight: 2, arbitrary: fc.record(mapValues(schema.properties ?? {}, () => anything)) },
    { weight: 1, arbitrary: anything },
  );
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  additionalProperties?: JsonSchema | boolean;
}

const anything = fc.anything({ withNullPrototype: false, withBigInt: false });

/** Random texts, and texts that often cause errors. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 50 }).filter((value) => value.isWellFormed()),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\uFEFF',
    '{}',
    '[',
    'null',
    '0',
    '-1',
    '1e999',
    'NaN',
    '../../etc/passwd',
    '%',
    '%zz',
    'now',
    '2024-03-05',
    '2024-03-10T02:30',
    '1h30m',
    'P1D',
    '* * * * *',
    '0 0 31 2 *',
    'Europe/Berlin',
    '(',
    '[a-',
    '(?<a>',
    '\\',
    '&amp',
    '&#x110000;',
    'xn--',
    'xn--a',
    'a@b',
    'http://[::1',
    '= 1',
    'a: *b',
    '__proto__',
    'constructor',
    '<svg onload=alert(1)>',
    "' OR 1=1 --",
    '\r\n',
    '=cmd()',
    '🏳️‍🌈',
    'ß',
    '北京',
    '%Y',
    'yyyy',
    'Mon Jan 2',
    '2006',
    'v1.2.3',
    '1.2.3',
    'const x =',
    'package a',
    'a{b:c}',
    '#!/bin/sh\n',
  ),
  fc
    .constantFrom('(', '[', '{', 'a', '\n', "'", '- ', '<a>')
    .chain((unit) => fc.integer({ min: 1, max: 2000 }).map((times) => unit.repeat(times))),
);

function valuesOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'string':
      return text;
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -10, -10),
        max: Math.min(schema.maximum ?? 5000, 5000),
      });
    case 'number':
      return fc.oneof(fc.double(), fc.integer());
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return objectsOf(schema);
    default:
      return anything;
  }
}

function objectsOf({
  properties,
  required,
  additionalProperties,
}: JsonSchema): fc.Arbitrary<unknown> {
  if (properties) {
    const fields = mapValues(properties, valuesOf);
    return fc.record(fields, { requiredKeys: (required ?? []).filter((key) => key in fields) });
  }
  const values =
    typeof additionalProperties === 'object' ? valuesOf(additionalProperties) : anything;
  return fc.dictionary(text, values, { maxKeys: 3 });
}

const mapValues = <A, B>(record: Record<string, A>, f: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]));
