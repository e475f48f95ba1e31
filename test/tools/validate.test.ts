import { describe, expect, it } from 'vitest';
import { validate } from '../../src/tools/validate/index.ts';
import addresses from './judges/isemail.json';
import versions from './judges/semver.json';
import { refusal, run } from './run.ts';

type Type =
  'json' | 'yaml' | 'toml' | 'cron' | 'json_schema' | 'regex' | 'semver' | 'email' | 'url';
const check = (type: Type, input: string, options = {}) => run(validate, { type, input, options });
const isValid = async (type: Type, input: string, options = {}) =>
  (await check(type, input, options)).valid;

describe('json', () => {
  it('says what a document holds', async () => {
    const { valid, description, errors, details } = await check(
      'json',
      '{"a":[1,true,null,"x"],"b":{},"a":2}',
    );
    expect({ valid, errors }).toEqual({ valid: true, errors: [] });
    expect(description).toBe('Valid JSON: an object with 2 keys.');
    expect(details).toMatchObject({
      root_type: 'object',
      depth: 2,
      keys: 2,
      duplicate_keys: ['a'],
    });
  });

  it('finds duplicate keys in their own object only, under any spelling', async () => {
    expect((await check('json', '[{"a":1},{"a":1,"b":{"a":2}}]')).details.duplicate_keys).toEqual(
      [],
    );
    expect((await check('json', '{"a":1,"\\u0061":2}')).details.duplicate_keys).toEqual(['a']);
  });

  it.each([
    ['{"a": 1,}', 1, 9],
    ['[1,,2]', 1, 4],
    ['{\n  "a" 1\n}', 2, 7],
    ['{"a": 1', 1, 8],
    ['', 1, 1],
    ['\uFEFF{}', 1, 1],
    ['[1] // no', 1, 5],
    ["['a']", 1, 2],
    ['[01]', 1, 3],
    ['"a\nb"', 1, 3],
    ['nul', 1, 4],
  ])('places the error of %j', async (input, line, column) => {
    const { valid, errors } = await check('json', input);
    expect(valid).toBe(false);
    expect(errors).toMatchObject([{ line, column }]);
  });

  it.each([
    ['[1,]', 'a comma stands before "]"; remove it'],
    ['{"a":1,\n}', 'a comma stands before "}"; remove it'],
    ['[1,,2]', 'two commas'],
    ['\uFEFF{}', 'a byte order mark (U+FEFF)'],
    ['[1,\u00a02]', 'a no-break space (U+00A0)'],
    ['[1]\u200b', 'a zero-width space (U+200B)'],
    ['# a\n1', 'no comments'],
    ["{'a':1}", 'no single quotes'],
    ['{“a”:1}', '"“" is no quotation mark'],
    ['{a:1}', 'the name a has no quotation marks'],
    ['[True]', 'write true'],
    ['{"a":NaN}', '"NaN" is no value'],
    ['[01]', 'leading zero'],
    ['[1.]', 'no digit after its point'],
    ['[-]', 'minus sign'],
    ['[1e]', 'exponent'],
    ['"a\tb"', 'a tab stands in a string; write it as \\t'],
    ['"\\x41"', '\\x, which is no escape'],
    ['"abc', 'not closed'],
    ['[1', 'ends before'],
    [' ', 'empty'],
    ['{"a" 1}', 'the colon after a name'],
    ['[1 2]', 'a comma or ]'],
    ['{"a":1 "b":2}', 'a comma or }'],
    ['{} {}', 'follows the value'],
  ])('says what is wrong with %j, and its place once', async (input, fault) => {
    const { description, errors } = await check('json', input);
    expect(errors).toMatchObject([{ message: expect.stringContaining(fault) as string }]);
    expect(description).not.toMatch(/position|column.*column/);
  });
});

describe('yaml', () => {
  it.each([
    'a: 1',
    '- a\n- b: c\n',
    '---\na\n---\nb\n',
    '%YAML 1.2\n---\na\n',
    '&a [*a]'.replace('*a', 'b'),
    'a: &x 1\nb: *x',
    '',
    '? [a, b]\n: c\n',
    ': a\n: b\n',
  ])('takes %j', async (input) => {
    expect(await check('yaml', input)).toMatchObject({ valid: true, errors: [] });
  });

  it.each([
    ['a: b: c', 1],
    ['a:\n\t- b', 2],
    ['a: *nowhere', 1],
    ['a: 1\na: 2', 2],
    ['%YAML 1.2\n', 1],
    ['%YAML 1.2\n%YAML 1.2\n---\n', 2],
    ['a: [1, 2', 1],
  ])('refuses %j', async (input, line) => {
    const { valid, errors } = await check('yaml', input);
    expect(valid).toBe(false);
    expect(errors[0]).toMatchObject({ line, column: expect.any(Number) as number });
  });

  it.each([
    '!!int "42"',
    '!!int 0o17',
    '!!float 1',
    '!!float .inf',
    '!!bool True',
    '!!null ""',
    '!!str 1',
    '!!map {a: 1}',
    '!!binary |\n  aGVs\n  bG8=\n',
    '!!set {a, b}',
    '!foo bar',
    '!!unknown x',
    '&a [*a]',
    'a: &a {b: *a, c: [*a, *a]}',
    '&a {*a : 1}',
    '- &x {self: *x}\n- *x\n',
  ])('takes %j by the core schema', async (input) => {
    expect(await check('yaml', input)).toMatchObject({ valid: true, errors: [] });
  });

  it.each([
    ['a: !!int xyz', '"xyz" is no value of !!int', 4],
    ['!!int 1_000', '!!int', 1],
    ['!!float abc', '!!float', 1],
    ['!!bool yes', '!!bool', 1],
    ['!!null x', '!!null', 1],
    ['!<tag:yaml.org,2002:int> x', '!!int', 1],
    ['!!binary "@@@"', 'base64', 1],
    ['!!timestamp 2001-13-45', '!!timestamp', 1],
    ['!!map [a]', '!!map', 1],
    ['!!seq {a: 1}', '!!seq', 1],
    ['!!int [1]', '!!int', 1],
    ['!!map a', '!!map', 1],
    ['a: b\u0000', 'U+0000', 5],
    ['%YAML 2.0\n---\na', 'version 2.0', 7],
  ])('says what is wrong with %j by the core schema', async (input, fault, column) => {
    const { errors } = await check('yaml', input);
    expect(errors).toEqual([
      { message: expect.stringContaining(fault) as string, line: 1, column: column },
    ]);
    expect(errors[0]!.message).not.toMatch(/atob|tag:yaml/);
  });

  it('counts documents', async () => {
    expect((await check('yaml', 'a: 1\n---\nb: 2\n')).details).toMatchObject({
      documents: 2,
      root_type: 'object',
    });
  });

  it('counts the nodes as they are written, also where they go round', async () => {
    expect((await check('yaml', 'a: &x [*x]')).details).toMatchObject({
      objects: 1,
      arrays: 1,
      keys: 1,
      depth: 2,
    });
    expect((await check('yaml', 'a: &x {b: 1}\nc: [*x, *x]')).details).toMatchObject({
      objects: 2,
      arrays: 1,
      keys: 3,
      numbers: 1,
      depth: 2,
    });
  });

  it.each([
    [100, true],
    [101, false],
  ])('takes an anchor that stands %d times: %s', async (times, valid) => {
    const aliases = '*x, '.repeat(times - 1);
    expect(await isValid('yaml', `- &x [a]\n- [${aliases}]`)).toBe(valid);
  });

  it('does not laugh a billion times', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(10)}]`,
    );
    const { valid, errors } = await check('yaml', `l0: &l0 lol\n${levels.join('\n')}`);
    expect(valid).toBe(false);
    expect(errors[0]!.message).toContain('aliases');
  });
});

describe('toml', () => {
  it('takes 1.1 by default and 1.0 on request', async () => {
    const inline = 'a = {\n  b = 1,\n}\n';
    expect(await isValid('toml', inline)).toBe(true);
    expect(await isValid('toml', inline, { version: '1.0' })).toBe(false);
  });

  it.each([
    ['d = 2023-02-29', 1],
    ['a = 1\na = 2', 2],
    ['a = 1\r', 1],
    ['[a]\n[a]', 2],
    ['a = 01', 1],
    ['a = ', 1],
  ])('refuses %j', async (input, line) => {
    const { valid, errors } = await check('toml', input);
    expect(valid).toBe(false);
    expect(errors[0]).toMatchObject({ line, column: expect.any(Number) as number });
  });

  it('names the character that it did not expect', async () => {
    expect((await check('toml', 'a = “x”')).errors[0]!.message).toContain('"“"');
    expect((await check('toml', '\uFEFFa = 1\u00a0')).errors[0]!.message).toContain(
      'no-break space',
    );
  });

  it.each(['a = 9223372036854775807', '\uFEFFa = 1', 'd = 2024-02-29', 'a = 1\r\n', ''])(
    'takes %j',
    async (input) => {
      expect(await isValid('toml', input)).toBe(true);
    },
  );
});

describe('a text that is nested 100,000 levels deep', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);

  it('is JSON', async () => {
    expect(await isValid('json', deep)).toBe(true);
  });

  it.each(['yaml', 'toml', 'json_schema'] as const)('is a 422 as %s', async (type) => {
    const input = { type, input: type === 'toml' ? `a = ${deep}` : deep, options: { schema: {} } };
    const { status, message } = await refusal(validate, input);
    expect(status).toBe(422);
    expect(message).toContain('nested too deeply');
  });
});

describe('json_schema', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { age: { type: 'integer', minimum: 0 } },
    additionalProperties: false,
  };

  it('points at each thing that is wrong', async () => {
    const { valid, errors, details } = await check('json_schema', '{"age":-1.5,"x y":1}', {
      schema: { ...schema, properties: { age: { type: 'integer', minimum: 0 } } },
    });
    expect(valid).toBe(false);
    expect(errors.map(({ path }) => path)).toEqual(['', '/age', '/age', '/x y']);
    expect(errors.map(({ message }) => message)).toEqual([
      'must have the property "name"',
      'must be of type integer',
      'must satisfy minimum 0',
      'is not allowed here (/additionalProperties)',
    ]);
    expect(details).toEqual({ draft: '2020-12', error_count: 4 });
  });

  it.each([
    [{ required: ['a', 'b', 'c'] }, { b: 1 }, ['', 'property "a"'], ['', 'property "c"']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['', 'property "b", since it has "a"']],
    [{ propertyNames: { maxLength: 1 } }, { a: 1, bc: 1 }, ['/bc', 'name "bc" must satisfy maxL']],
    [
      { properties: { o: { propertyNames: { pattern: '^a' } } } },
      { o: { 'b/c': 1 } },
      ['/o/b~1c', 'name "b/c" must satisfy pattern "^a"'],
    ],
    [{ contains: { type: 'string' } }, [1, 2], ['', 'at least 1 item that satisfies contains {"']],
    [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 'b'], ['', 'at most 1 items']],
    [{ not: { type: 'array' } }, [], ['', 'must not satisfy {"type":"array"}']],
  ])('says what %j asks for', async (schema, instance, ...issues) => {
    const { description, errors } = await check('json_schema', JSON.stringify(instance), {
      schema,
    });
    expect(description).toMatch(/^Invalid JSON instance: /);
    expect(errors).toEqual(
      (issues as [string, string][]).map(([path, message]) => ({
        path,
        message: expect.stringContaining(message) as string,
      })),
    );
  });

  it('tells no more missing properties than somebody reads', async () => {
    const required = Array.from({ length: 3000 }, (_, i) => `p${i}`);
    const input = JSON.stringify(Array.from({ length: 3000 }, () => ({})));
    const { errors } = await check('json_schema', input, { schema: { items: { required } } });
    expect(errors).toHaveLength(10_000);
  });

  it.each([
    ['http://json-schema.org/draft-03/schema#'],
    ['https://example.com/own'],
    ['http://json-schema.org/schema#'],
  ])('does not take %s for another draft', async ($schema) => {
    const { valid, errors } = await check('json_schema', JSON.stringify({ $schema }));
    expect(valid).toBe(false);
    expect(errors).toEqual([
      { path: '/$schema', message: expect.stringContaining('options.draft') as string },
    ]);
    const options = { schema: { $schema } };
    expect(await refusal(validate, { type: 'json_schema', input: '1', options })).toMatchObject({
      status: 422,
      path: 'options.schema',
    });
    expect(await isValid('json_schema', JSON.stringify({ $schema }), { draft: '7' })).toBe(true);
  });

  it.each([
    [{ pattern: '(' }, '/pattern'],
    [{ properties: { a: { items: { pattern: '\\' } } } }, '/properties/a/items/pattern'],
    [{ patternProperties: { '[a/': {} } }, '/patternProperties/[a~1'],
    [{ $ref: '#/$defs/x' }, '/$ref'],
    [{ $defs: { a: { $ref: '#nowhere' } } }, '/$defs/a/$ref'],
    [{ allOf: [{ $id: 'a', $ref: '#/type' }], type: 'string' }, '/allOf/0/$ref'],
    [{ $id: 'http://example.com/a', $ref: 'a#/b' }, '/$ref'],
  ])('finds in a schema alone what would fail when used: %j', async (schema, path) => {
    const { valid, errors } = await check('json_schema', JSON.stringify(schema));
    expect(valid).toBe(false);
    expect(errors.map((error) => error.path)).toEqual([path]);
  });

  it.each([
    [{ const: { $ref: '#/nowhere', pattern: '(' }, properties: { pattern: { type: 'string' } } }],
    [{ $ref: '#/$defs/a%25b~1c', $defs: { 'a%b/c': { $anchor: 'x' }, d: { $ref: '#x' } } }],
    [{ $id: 'http://example.com/a/', $ref: 'b#y', $defs: { b: { $id: 'b', $anchor: 'y' } } }],
    [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }],
    [{ $dynamicRef: '#t', $dynamicAnchor: 't' }],
    [
      {
        $id: 'urn:example:a',
        $ref: '#/$defs/ü',
        $defs: { ü: { $anchor: 'x', not: { $ref: '#x' } } },
      },
    ],
    [{ $defs: { a: { allOf: Array.from({ length: 9000 }, () => true) } } }],
  ])('takes %j', async (schema) => {
    expect(await check('json_schema', JSON.stringify(schema))).toMatchObject({
      valid: true,
      details: { error_count: 0 },
    });
  });

  it('names the documents that a schema refers to', async () => {
    const { valid, details } = await check('json_schema', '{"$ref":"other.json#/a"}');
    expect({ valid, details }).toEqual({
      valid: true,
      details: { draft: '2020-12', error_count: 0, external_references: ['other.json#/a'] },
    });
  });

  it('takes a format that cannot be read for one that is not met', async () => {
    const options = { schema: { format: 'email' }, formats: true };
    expect(await isValid('json_schema', '"a@[kind:x]"', options)).toBe(false);
  });

  it('takes a schema as an object, a boolean or JSON text', async () => {
    expect(await isValid('json_schema', '1', { schema: true })).toBe(true);
    expect(await isValid('json_schema', '1', { schema: false })).toBe(false);
    expect(await isValid('json_schema', '1', { schema: '{"type":"string"}' })).toBe(false);
  });

  it('refuses a reference that takes too long to resolve', async () => {
    const options = { schema: { $id: `http://a/${'../'.repeat(700)}` } };
    expect(await refusal(validate, { type: 'json_schema', input: '1', options })).toMatchObject({
      status: 422,
      path: 'options.schema',
      message: expect.stringContaining('more than 2000 characters') as string,
    });
  });

  it('checks a schema against its meta-schema when it stands alone', async () => {
    expect(await isValid('json_schema', '{"type":"integer"}')).toBe(true);
    expect(await isValid('json_schema', '{"type":"integre"}')).toBe(false);
    expect(
      (
        await check(
          'json_schema',
          '{"$schema":"http://json-schema.org/draft-04/schema#","minimum":"1"}',
        )
      ).details,
    ).toMatchObject({ draft: '4' });
    expect(await isValid('json_schema', '[]')).toBe(false);
  });

  it('reads the keywords of the draft that is asked for', async () => {
    const schema = { items: [{ type: 'string' }], exclusiveMinimum: true, minimum: 1 };
    expect(await isValid('json_schema', '1', { schema, draft: '4' })).toBe(false);
    expect(
      (await refusal(validate, { type: 'json_schema', input: '1', options: { schema } })).path,
    ).toBe('options.schema');
  });

  it('asserts formats only when asked', async () => {
    const schema = { format: 'ipv4' };
    expect(await isValid('json_schema', '"999.1.1.1"', { schema })).toBe(true);
    expect(await isValid('json_schema', '"999.1.1.1"', { schema, formats: true })).toBe(false);
    expect(await isValid('json_schema', '"999.1.1.1"', { schema })).toBe(true);
  });

  it.each([
    [{ $ref: 'http://127.0.0.1:1/x' }],
    [{ $ref: '#/$defs/nothing' }],
    [{ $ref: '#' }],
    [{ pattern: '(' }],
    [{ type: 'nothing' }],
    ['{'],
    [[]],
  ])('422 for a schema that cannot be used: %j', async (schema) => {
    expect(
      await refusal(validate, { type: 'json_schema', input: '1', options: { schema } }),
    ).toMatchObject({ status: 422, path: expect.stringContaining('options.schema') as string });
  });

  it.each([
    [{ $ref: '#/$defs/nothing' }, '/$ref "#/$defs/nothing" leads to nothing in the schema'],
    [{ items: { pattern: '(' } }, '/items/pattern "(" is no regular expression'],
  ])('says where the fault of a schema is: %j', async (schema, fault) => {
    const options = { schema };
    const { message } = await refusal(validate, { type: 'json_schema', input: '["a"]', options });
    expect(message).toContain(fault);
    const { errors } = await check('json_schema', JSON.stringify(schema));
    expect(`${errors[0]!.path} ${errors[0]!.message}`).toContain(fault);
  });

  it('tells each fault once', async () => {
    const { errors } = await check('json_schema', '{"properties":{"a":5}}');
    const told = errors.map(({ path, message }) => `${path} ${message}`);
    expect(new Set(told).size).toBe(told.length);
    const never = await check('json_schema', '1', { schema: false });
    expect(never.errors).toEqual([{ path: '', message: 'is not allowed: the schema is false' }]);
  });

  it('lets many schemas of one name be checked at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        isValid('json_schema', String(i), { schema: { $id: 'https://example.com/s', const: i } }),
      ),
    );
    expect(answers.every(Boolean)).toBe(true);
  });

  const meta = 'https://json-schema.org/draft/2020-12/schema';
  const dialect = { $id: meta, $vocabulary: {} };
  it.each([
    [dialect],
    [{ $defs: { a: dialect } }],
    [{ $defs: dialect }],
    [{ const: dialect }],
    [{ enum: [[dialect]] }],
    [{ default: dialect, examples: [dialect] }],
    [{ unknown: { items: [dialect] } }],
    [{ $defs: { a: { ...dialect, not: {} } }, type: 'nothing' }],
  ])('lets nobody change the keywords for others: %j', async (schema) => {
    await check('json_schema', '1', { schema }).catch(() => {});
    expect(await isValid('json_schema', '1', { schema: { type: 'string' } })).toBe(false);
    expect(await isValid('json_schema', '1', { schema: { type: 'integer' } })).toBe(true);
  });

  it('asserts formats for who asks, while others do not', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        isValid('json_schema', '"x"', { schema: { format: 'email' }, formats: i % 2 === 0 }),
      ),
    );
    expect(answers).toEqual(answers.map((_, i) => i % 2 === 1));
  });

  it.each([
    [{ $id: 'a' }, { $id: 'b' }],
    [{ $schema: 'https://example.com/' }, {}],
    [{ $anchor: 'a', $ref: '#/b' }, { $ref: '#/b' }],
    [[{ $dynamicAnchor: 'a', id: 'c' }], [{}]],
    ['\0"x"', 'x'],
    [
      { a: 1, b: [{ c: 2, d: 3 }] },
      { a: 1, b: [{ c: 2 }] },
    ],
  ])('takes a value for a value, though it look like a schema: %j', async (value, other) => {
    for (const schema of [{ const: value }, { enum: [0, value] }]) {
      expect(await isValid('json_schema', JSON.stringify(value), { schema })).toBe(true);
      expect(await isValid('json_schema', JSON.stringify(other), { schema })).toBe(false);
    }
    const schema = { default: value, examples: [value] };
    expect(await isValid('json_schema', '1', { schema })).toBe(true);
  });

  it.each([
    [{ $ref: '#/$defs/%C3%BC', $defs: { ü: { type: 'string' } } }],
    [{ $ref: '#/$defs/Array<a b>', $defs: { 'Array<a b>': { type: 'string' } } }],
    [{ $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'string' } } }],
    [{ $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }],
    [{ $id: '/a', properties: { $id: { type: 'integer' }, const: {} }, type: 'string' }],
    [{ $schema: 'https://example.com/own', constructor: {}, toString: 1, type: 'string' }],
  ])('reads schemas as generators write them: %j', async (schema) => {
    for (const draft of ['7', '2020-12']) {
      const { errors } = await check('json_schema', '1', { schema, draft });
      expect(errors).toEqual([{ path: '', message: 'must be of type string' }]);
    }
  });

  it('ignores what stands beside a $ref in drafts before 2019-09', async () => {
    const schema = { $ref: '#/definitions/a', type: 'string', definitions: { a: {} } };
    expect(await isValid('json_schema', '1', { schema, draft: '7' })).toBe(true);
    expect(await isValid('json_schema', '1', { schema, draft: '2019-09' })).toBe(false);
    const base = { $id: 'https://example.com/a/', allOf: [{ $id: 'b/', $ref: 'c' }] };
    const named = (type: string, $id: string) => ({ $id: `https://example.com/${$id}`, type });
    const definitions = { right: named('integer', 'a/c'), wrong: named('string', 'a/b/c') };
    expect(
      await isValid('json_schema', '1', { schema: { ...base, definitions }, draft: '7' }),
    ).toBe(true);
  });

  it('refuses a schema whose work doubles with each of its parts', async () => {
    const twice = (next: number) => [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }];
    const parts = (keyword: string, last: object) =>
      Object.fromEntries(
        Array.from({ length: 64 }, (_, i) => [
          `d${i}`,
          i < 63 ? { [keyword]: twice(i + 1) } : last,
        ]),
      );
    for (const [keyword, last] of [
      ['allOf', {}],
      ['anyOf', { type: 'string' }],
    ] as const) {
      const schema = { $defs: parts(keyword, last), $ref: '#/$defs/d0' };
      expect(
        await refusal(validate, { type: 'json_schema', input: '1', options: { schema } }),
      ).toMatchObject({ status: 422, path: 'options.schema' });
    }
  });

  it('413 for a schema of a million parts', async () => {
    const input = `{"allOf":[${'{},'.repeat(1e6)}{}]}`;
    expect((await refusal(validate, { type: 'json_schema', input })).status).toBe(413);
  });

  it('gives no more errors than somebody reads, and never none', async () => {
    const numbers = JSON.stringify(Array.from({ length: 300_000 }, (_, i) => i));
    const schemas = [
      { items: { type: 'string' } },
      { items: false },
      { allOf: [{ items: { anyOf: [{ type: 'string' }, {}] } }, { minItems: 1e6 }] },
    ];
    for (const schema of schemas) {
      const { valid, errors } = await check('json_schema', numbers, { schema });
      expect(valid).toBe(false);
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(10_000);
    }
  });

  it('knows the drafts by their names', async () => {
    for (const schema of [{ $ref: meta }, { $id: meta }]) {
      expect(await isValid('json_schema', '{"type":"string"}', { schema })).toBe(true);
      expect((await check('json_schema', '{"minItems":-1}', { schema })).errors).toEqual([
        { path: '/minItems', message: 'must satisfy minimum 0' },
      ]);
    }
  });

  it('treats file: as a name like any other', async () => {
    const schema = {
      $id: 'file:///folder/a.json',
      $ref: 'b.json',
      $defs: { b: { $id: 'b.json', type: 'integer' } },
    };
    expect(await isValid('json_schema', '1', { schema })).toBe(true);
    expect(await isValid('json_schema', '"1"', { schema })).toBe(false);
  });

  it('says where an instance is no JSON', async () => {
    expect((await check('json_schema', '{', { schema })).errors).toMatchObject([
      { line: 1, column: 2 },
    ]);
  });
});

describe('regex', () => {
  it.each([
    ['(?<year>\\d{4})-(\\d\\d)', '', 2, ['year']],
    ['a|b', 'gi', 0, []],
    ['(?<=a)b(?!c)', 'u', 0, []],
    ['[\\p{L}--[a-z]]', 'v', 0, []],
    ['(?i:a)', '', 0, []],
    ['\\\\A[(?>]', '', 0, []],
  ])('takes %s', async (pattern, flags, groups, group_names) => {
    expect(await check('regex', pattern, { flags })).toMatchObject({
      valid: true,
      details: { flags, groups, group_names },
    });
  });

  it.each([
    ['(?P<year>\\d)', '(?P<name>…)'],
    ['(?>a)', 'atomic'],
    ['a++', 'possessive'],
    ['(?i)a', 'inline flag'],
    ['\\Aa', '\\A'],
    ['a\\Z', '\\Z'],
    ['(?(1)a|b)', 'conditional'],
    ['(?R)', 'recursion'],
    ['[[:alpha:]]', '[:alpha:]'],
    ['\\x{41}', '\\x{…}'],
    ['\\p{L}', 'without the flag u'],
    ['(?#note)', 'comment'],
    ['(', 'Unterminated group'],
    ['a**', 'Nothing to repeat'],
  ])('refuses %s by its name', async (pattern, name) => {
    const { valid, errors } = await check('regex', pattern);
    expect(valid).toBe(false);
    expect(errors[0]!.message).toContain(name);
  });

  it.each([
    ['\\N', 'line feed of PCRE', 1],
    ['a\\L', 'Perl', 2],
    ['(a)\\g{1}', 'write \\1', 4],
    ['[a\\h]', 'horizontal white space', 3],
    ['a{,5}', '{0,n}', 2],
    ['ab(', 'Unterminated group', 4],
    ['a**', 'Nothing to repeat', 4],
    ['a\\Z', '\\Z', 2],
  ])('says where %s is wrong', async (pattern, fault, column) => {
    const { errors } = await check('regex', pattern);
    expect(errors).toEqual([
      { message: expect.stringContaining(fault) as string, line: 1, column },
    ]);
  });

  it.each([
    ['z', 'none of d, g'],
    ['gg', 'twice'],
    ['uv', 'exclude each other'],
  ])('says what is wrong with the flags %s', async (flags, fault) => {
    expect((await check('regex', 'a', { flags })).errors).toEqual([
      { message: expect.stringContaining(fault) as string },
    ]);
  });

  it('knows the escapes of ECMAScript’s own grammar, which is that of the flag u', async () => {
    // These escapes are incomplete without more characters.
    const incomplete = 'ckpPux';
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') {
      if (incomplete.includes(letter)) continue;
      const strict = () => new RegExp(`\\${letter}`, 'u');
      const valid = await isValid('regex', `\\${letter}`);
      if (valid) expect(strict).not.toThrow();
      else expect(strict).toThrow(SyntaxError);
    }
  });

  it('compiles and never runs', async () => {
    expect(await isValid('regex', '(a+)+$')).toBe(true);
    expect(await isValid('regex', 'a', { flags: 'zz' })).toBe(false);
  });
});

describe('semver', () => {
  it.each(['1.2.3', '0.0.0', '1.0.0-alpha.1+build.5', '1.0.0-0A.is.legal'])(
    'takes %s',
    async (input) => {
      expect(await isValid('semver', input)).toBe(true);
    },
  );
  it.each(['v1.2.3', '=1.2.3', ' 1.2.3', '1.2', '01.2.3', '1.2.3-01', '1.2.3.4', '', '1.2.3\n'])(
    'refuses %j',
    async (input) => {
      expect(await isValid('semver', input)).toBe(false);
    },
  );
  it('takes it apart', async () => {
    expect((await check('semver', '1.2.3-rc.1+b')).details).toEqual({
      major: 1,
      minor: 2,
      patch: 3,
      prerelease: ['rc', 1],
      build: ['b'],
    });
  });
});

describe('semver, by its own list', () => {
  it.each(versions.valid)('takes %s', async (version) => {
    expect(await check('semver', version)).toMatchObject({ valid: true, errors: [] });
  });

  it.each(versions.invalid)('refuses %s', async (version) => {
    expect(await isValid('semver', version)).toBe(false);
  });

  it('keeps numbers of any length', async () => {
    expect((await check('semver', '99999999999999999999.2.3-9007199254740993')).details).toEqual({
      major: '99999999999999999999',
      minor: 2,
      patch: 3,
      prerelease: ['9007199254740993'],
      build: [],
    });
  });

  it.each([
    ['', 'empty'],
    [' 1.2.3', 'white space'],
    ['v1.2.3', '"v" stands before'],
    ['1.2', 'PATCH is missing'],
    ['1.2.x', 'PATCH "x" is not a number'],
    ['1.02.3', 'MINOR "02" has a leading zero'],
    ['1.2.3.4', '"4" stands behind PATCH'],
    ['1.2.3-a_b', '"_" at offset 7'],
    ['1.2.3-01', '"01" has a leading zero'],
    ['1.2.3-a..b', 'pre-release has an empty identifier'],
    ['1.2.3+', 'build metadata has an empty identifier'],
    ['1.2.3+a+b', 'second plus sign'],
  ])('says what is wrong with %j', async (version, fault) => {
    expect((await check('semver', version)).errors).toEqual([
      { message: expect.stringContaining(fault) as string },
    ]);
  });
});

describe('email', () => {
  it.each([
    'a@b.example',
    '"a b"@b.example',
    'a+b@bücher.example',
    'a@localhost',
    'a@[192.0.2.1]',
    'a@[IPv6:2001:db8::1]',
    "o'hara@b.ie",
    'x@xn--bcher-kva.example',
  ])('takes %s', async (input) => {
    expect(await check('email', input)).toMatchObject({ valid: true });
  });
  it.each([
    '',
    'a',
    '@b',
    'a@',
    'a b@c.d',
    'a..b@c.d',
    '.a@c.d',
    'A <a@b.c>',
    'a@-b.c',
    'a@b..c',
    'a@b.c ',
    `${'a'.repeat(65)}@b.c`,
    `a@${'b'.repeat(64)}.c`,
    `a@${'b.'.repeat(130)}c`,
    'a@[1.2.3]',
    'a@b/c',
    'ü@b.c',
  ])('refuses %j', async (input) => {
    expect(await isValid('email', input)).toBe(false);
  });
  it.each(addresses.valid)('takes %j, by isemail', async (address) => {
    expect(await check('email', address)).toMatchObject({ valid: true, errors: [] });
  });
  it.each(addresses.invalid)('refuses %j, by isemail', async (address) => {
    expect(await isValid('email', address)).toBe(false);
  });
  it('takes no number for an IPv4 address', async () => {
    expect((await check('email', 'a@1.2.3')).details).toMatchObject({ ascii_domain: '1.2.3' });
    expect((await check('email', 'a@x.123')).details).toMatchObject({ ascii_domain: 'x.123' });
  });
  it.each([
    ['', 'empty'],
    ['a@b.c ', 'white space'],
    ['A <a@b.c>', 'display name'],
    ['a.b.c', 'no @'],
    ['@b.c', 'no local part'],
    ['a@', 'no domain'],
    ['a b@c.d', 'has a space'],
    ['a\u00a0b@c.d', 'has a no-break space (U+00A0)'],
    ['.a@c.d', 'begins with a dot'],
    ['a..b@c.d', 'two dots in a row'],
    ['"a@c.d', 'no closing quotation mark'],
    ['ü@c.d', '"ü", which is not printable ASCII'],
    ['a@b_c.d', "'_'"],
    ['a@b.', 'ends with a dot'],
    ['a@[1.2.3]', '"[1.2.3]" is no address literal'],
  ])('says what is wrong with %j', async (address, fault) => {
    const { errors } = await check('email', address);
    expect(errors).toEqual([{ message: expect.stringContaining(fault) as string }]);
  });
  it('knows the browser’s rule', async () => {
    expect(await isValid('email', '"a b"@c.d', { mode: 'html5' })).toBe(false);
    expect(await isValid('email', 'a..b@c', { mode: 'html5' })).toBe(true);
  });
});

describe('url', () => {
  it('takes it apart', async () => {
    expect((await check('url', 'HTTPS://u:p@Bücher.example:8080/a b?q=1#f')).details).toEqual({
      scheme: 'https',
      username: 'u',
      host: 'xn--bcher-kva.example',
      port: 8080,
      path: '/a%20b',
      query: 'q=1',
      fragment: 'f',
      origin: 'https://xn--bcher-kva.example:8080',
      normalized: 'https://u:p@xn--bcher-kva.example:8080/a%20b?q=1#f',
    });
  });
  it.each([
    ['http://xn--a', '"xn--a" is Punycode for characters'],
    [`http://${'a'.repeat(64)}.com/`, 'more than 63 octets'],
    [`http://${'a.'.repeat(127)}com/`, 'more than 253 octets'],
    ['', 'empty'],
    ['example.com/x', 'no scheme'],
    ['http://', 'no host after "http://"'],
    ['https://u:p@/x', 'no host after "https://"'],
    ['http://example.com:99999/', 'port "99999" is larger than 65535'],
    ['http://example.com:8o/', 'port "8o" is not a number'],
    ['http://[::1', 'no closing bracket'],
    ['http://[::g]/', '"[::g]" is no IPv6 address'],
    ['http://1.2.3.999/', '"1.2.3.999" ends with a number'],
    ['http://a b.c/', 'has a space'],
    ['http://\u200d/', 'UTS #46'],
  ])('says what is wrong with %j', async (url, fault) => {
    const { valid, errors } = await check('url', url);
    expect(valid).toBe(false);
    expect(errors).toEqual([{ message: expect.stringContaining(fault) as string }]);
  });

  it('warns of what the standard takes', async () => {
    expect((await check('url', 'https://xn--/')).details.warnings).toHaveLength(1);
    expect((await check('url', 'localhost:3000')).details.warnings).toHaveLength(1);
    expect((await check('url', 'C:\\folder')).details.warnings).toHaveLength(1);
  });

  it.each([
    ['http://a..b/', '"a..b" has an empty label'],
    ['http://./', '"." has an empty label'],
    [' http://a ', 'white space'],
    ['http://a\n/b', 'tabs and line ends'],
    ['http:a', '"" after the scheme'],
    ['http:///a', '"///" after the scheme'],
    ['http://a\\b', 'a backslash'],
    ['http://a/%zz', 'a % without'],
    ['http://1.2.3/', '"1.2.3" is read as the IPv4 address 1.2.0.3'],
    ['http://u:p@0x7f.1:80/', '"0x7f.1" is read as the IPv4 address 127.0.0.1'],
  ])('warns of what a parser corrects: %j', async (url, warning) => {
    const { valid, details } = await check('url', url);
    expect([valid, details.warnings]).toEqual([true, [expect.stringContaining(warning)]]);
  });

  it.each([
    'http://xn--bcher-kva.example',
    'http://a./?\\#\\',
    'https://u:p@127.0.0.1:80/%41',
    'file:///etc/hosts',
    'mailto:a@b.example',
  ])('has no warning of %j', async (url) => {
    expect((await check('url', url)).details).not.toHaveProperty('warnings');
  });

  it.each(['', 'example.com', '/path', 'http://', 'http://a b', 'http://[::1', 'https://x:99999'])(
    'refuses %j',
    async (input) => {
      expect(await isValid('url', input)).toBe(false);
    },
  );
});

it('checks cron expressions as the cron tool does', async () => {
  expect((await check('cron', '0 9 * * MON-FRI')).details).toMatchObject({
    fields: { hour: '9', day_of_week: 'MON-FRI' },
  });
  expect(await check('cron', '*/70 * * * *')).toMatchObject({
    valid: false,
    description: expect.stringMatching(/^Invalid cron expression: .*\.$/) as string,
  });
});
