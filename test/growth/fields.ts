import { languages, type Language } from './languages.ts';

/** A field of a tool into which a caller can write as much as he wants. */
export interface Field {
  tool: string;
  /** What is asked for, and how. */
  name: string;
  language: Language;
  /** Characters that the tool takes there. */
  limit: number;
  /** Where a library's time is known to grow faster, and ends with the process: characters that do not take long all the same. */
  bearable?: number;
  input(text: string): Record<string, unknown>;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/** Larger inputs of the light tools run in a process of their own. */
const light = 128 * KiB;

const lines = (text: string) => text.split('\n');
const turned = (text: string) => text.slice(text.length / 3) + text.slice(0, text.length / 3);

const { encoded, title } = languages;

/** @param options beside `type` and `input` */
const validate = (
  type: string,
  language: Language,
  limit: number,
  options = {},
  name = type,
): Field => ({
  tool: 'validate',
  name,
  language,
  limit,
  input: (input) => ({ type, input, options }),
});

const schema = (name: string, instance: string): Field => ({
  tool: 'validate',
  name: `json_schema options.schema ${name}`,
  language: languages.jsonSchema,
  limit: 10 * MiB,
  input: (text) => ({
    type: 'json_schema',
    input: instance,
    options: { schema: text, formats: true },
  }),
});

const instanceOf = (name: string, wanted: object): Field => ({
  tool: 'validate',
  name: `json_schema instance ${name}`,
  language: languages.json,
  limit: 10 * MiB,
  input: (text) => ({ type: 'json_schema', input: text, options: { schema: wanted } }),
});

/** A text as an instance, of which the schema asks something. */
const stringOf = (name: string, wanted: object, language: Language): Field => ({
  ...instanceOf(name, wanted),
  language,
  input: (text) => ({
    type: 'json_schema',
    input: JSON.stringify(text),
    options: { schema: wanted, formats: true },
  }),
});

const formats = [
  'email',
  'idn-email',
  'hostname',
  'idn-hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'iri',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'date',
  'time',
  'date-time',
  'duration',
  'uuid',
];

const validates: Field[] = [
  validate('json', languages.json, 10 * MiB),
  validate('yaml', languages.yaml, MiB),
  validate('toml', languages.toml, MiB),
  validate('toml', languages.toml, MiB, { version: '1.0' }, 'toml 1.0'),
  validate('cron', languages.cron, 10 * MiB),
  validate('json_schema', languages.jsonSchema, 10 * MiB),
  validate('json_schema', languages.jsonSchema, 10 * MiB, { draft: '4' }, 'json_schema draft 4'),
  validate('regex', languages.regex, 64 * KiB),
  validate('regex', languages.regex, 64 * KiB, { flags: 'v' }, 'regex v'),
  validate('semver', languages.semver, 10 * MiB),
  validate('email', languages.email, 10 * MiB),
  validate('email', languages.email, 10 * MiB, { mode: 'html5' }, 'email html5'),
  validate('url', languages.url, 10 * MiB),
  schema('of a number', '1'),
  schema('of a tree', '{"a":{"a":[1,[2],{"a":"a"}]},"b":[]}'),
  instanceOf('unique', { uniqueItems: true, items: { $ref: '#' } }),
  instanceOf('unevaluated', {
    unevaluatedProperties: { $ref: '#' },
    unevaluatedItems: { $ref: '#' },
  }),
  instanceOf('contains', { contains: { type: 'string' }, additionalProperties: { $ref: '#' } }),
  instanceOf('names', {
    propertyNames: { pattern: '^a' },
    patternProperties: { '^a': { $ref: '#' } },
    items: { $ref: '#' },
  }),
  instanceOf('refused', { anyOf: [false, { type: 'string' }], items: false }),
  instanceOf('alternatives', {
    oneOf: [
      { type: 'array', items: { $ref: '#' } },
      { type: 'object', additionalProperties: { $ref: '#' } },
      { type: ['string', 'number', 'boolean', 'null'] },
    ],
  }),
  instanceOf('constant', { const: { a: [1] }, items: { enum: [1, [2]] } }),
  stringOf('pattern', { pattern: '^(a+)+$' }, title),
  stringOf('patterns', { pattern: 'a.*b.*c' }, title),
  ...formats.map((format) =>
    stringOf(
      `format ${format}`,
      { format },
      {
        tokens: [
          ...languages.email.tokens,
          ...languages.url.tokens,
          ...languages.date.tokens,
          ...languages.regex.tokens,
        ],
        nests: [...languages.email.nests!, ...languages.url.nests!, ...languages.regex.nests!],
      },
    ),
  ),
];

const lightField = (
  tool: string,
  name: string,
  language: Language,
  input: Field['input'],
  limit = light,
): Field => ({ tool, name, language, limit, input });

const encodes = ['base64', 'url', 'html', 'hex', 'punycode'].flatMap((format) =>
  ['encode', 'decode'].map((action) =>
    lightField('encode', `${action} ${format}`, encoded, (input) => ({ input, format, action })),
  ),
);

const hashes = ['md5', 'sha1', 'sha256', 'sha512', 'blake3', 'hmac-sha256'].flatMap((algorithm) =>
  ['utf8', 'base64', 'hex'].map((encoding) =>
    lightField('hash', `${algorithm} of ${encoding}`, encoded, (input) => ({
      input,
      algorithm,
      key: input,
      input_encoding: encoding,
      key_encoding: encoding,
    })),
  ),
);

/** Characters of a date, a duration and a layout. */
const short = 200;

const dates = [
  ...['parse', 'format', 'convert'].map((action) =>
    lightField(
      'datetime',
      action,
      languages.date,
      (value) => ({ action, value, timezone: 'Europe/Berlin' }),
      short,
    ),
  ),
  lightField(
    'datetime',
    'diff value2',
    languages.date,
    (value2) => ({ action: 'diff', value: 0, value2 }),
    short,
  ),
  lightField(
    'datetime',
    'add duration',
    languages.date,
    (duration) => ({ action: 'add', value: 0, duration }),
    short,
  ),
  lightField(
    'datetime',
    'format output_format',
    languages.date,
    (output_format) => ({ action: 'format', value: 0, output_format }),
    short,
  ),
  lightField('datetime', 'from_timezone', languages.date, (from_timezone) => ({
    action: 'parse',
    value: 0,
    from_timezone,
  })),
  lightField('datetime', 'timezone', languages.date, (timezone) => ({
    action: 'parse',
    value: 0,
    timezone,
  })),
  lightField('datetime', 'holidays', languages.date, (text) => ({
    action: 'business_days',
    value: '2020-01-01',
    value2: '2030-01-01',
    options: { holidays: text.match(/[\s\S]{1,13}/g)!.slice(0, 1000) },
  })),
  lightField(
    'datetime',
    'holidays that are dates',
    {
      tokens: [
        '2024-03-05|',
        '5 Mar 2024|',
        'Mar 5 15:04:05 2024 +0100|',
        '5.3.2024 12:00 Europe/Berlin|',
      ],
    },
    (text) => ({
      action: 'business_days',
      value: '2020-01-01',
      value2: '2030-01-01',
      options: { holidays: text.split('|', 1000).filter((day) => day.trim() !== '') },
    }),
  ),
];

const crons = [
  ...['parse', 'explain', 'next_runs'].map((action) =>
    lightField('cron', action, languages.cron, (expression) => ({
      action,
      expression,
      count: 25,
      timezone: 'Europe/Berlin',
    })),
  ),
  lightField('cron', 'timezone', languages.date, (timezone) => ({
    action: 'next_runs',
    expression: '* * * * *',
    timezone,
  })),
  lightField('cron', 'generate', languages.cron, (text) => ({
    action: 'generate',
    every: text,
    at: text,
    weekday: text,
  })),
];

const slugs = [
  lightField('slug', 'input', title, (input) => ({ input })),
  lightField('slug', 'transliterate', title, (input) => ({ input, transliterate: true })),
  lightField('slug', 'max_length', title, (input) => ({
    input,
    max_length: input.length,
    separator: '💥💥💥💥💥💥💥💥',
  })),
];

const cases = ['camel', 'pascal', 'snake', 'kebab', 'constant', 'title', 'sentence'].map((to) =>
  lightField('case', to, title, (input) => ({ input, to })),
);

const escapes = ['html', 'xml', 'csv', 'sql', 'shell', 'regex'].flatMap((context) =>
  ['escape', 'unescape'].flatMap((action) => [
    lightField('escape', `${action} ${context}`, encoded, (input) => ({ input, context, action })),
    ...(context === 'sql' || context === 'csv'
      ? [
          lightField('escape', `${action} ${context} with options`, encoded, (input) => ({
            input,
            context,
            action,
            options: { dialect: 'mysql', guard_formulas: true },
          })),
        ]
      : []),
  ]),
);

const jsonEscapes = ['escape', 'unescape'].map((action) =>
  lightField('json-escape', action, encoded, (input) => ({ input, action })),
);

const diff = (
  name: string,
  modified: (text: string) => string,
  more: Record<string, unknown> = {},
): Field => ({
  tool: 'diff',
  name,
  language: {
    tokens: [...title.tokens, 'a\n', 'b\n', 'a\nb\n', 'b\na\n', '\n\n', 'a\r\n', '}\n', '  x\n'],
  },
  limit: 5 * MiB,
  input: (original) => ({ original, modified: modified(original), ...more }),
});

const diffs = [
  diff('against nothing', () => ''),
  diff('against itself', (text) => text),
  diff('against itself turned', turned),
  diff('against itself reversed', (text) => lines(text).toReversed().join('\n')),
  diff('against itself sorted', (text) => lines(text).toSorted().join('\n')),
  diff('against every other line', (text) =>
    lines(text)
      .filter((_, i) => i % 2)
      .join('\n'),
  ),
  diff('with changes', (text) => text.replaceAll('1', '2').replaceAll('a\n', '\n'), {
    format: 'changes',
    context_lines: 20,
  }),
];

/**
 * Prettier has dozens of loops in loops: comments in a chain of operators, selectors, values of CSS,
 * quotations of Markdown in a template. gofmt sorts equal imports in the square of their number. Nothing
 * may take exponential time, but for a mapped type in the key of a mapped type, over and over, which
 * takes Prettier twice as long with each (`{[a in {[a in b]: c}]: d}`) and is left out here.
 */
const bearable = 8 * KiB;

const code = (
  language: string,
  texts: Language,
  more: Record<string, unknown> = {},
  name = language,
): Field => ({
  tool: 'format-code',
  name,
  language: texts,
  limit: MiB,
  bearable: language === 'go' ? 64 * KiB : bearable,
  input: (code) => ({ language, code, ...more }),
});

const { script, jsx, types, css, go } = languages;
const all = (...of: Language[]): Language => ({
  tokens: of.flatMap(({ tokens }) => tokens),
  nests: of.flatMap(({ nests }) => nests ?? []),
});

const codes = [
  code('javascript', all(script, jsx)),
  code('typescript', all(types, script)),
  code('tsx', all(jsx, types)),
  code('json', languages.json),
  code('css', css),
  code('scss', all(css, languages.css)),
  code('less', all(css, languages.css)),
  code('jsonc', languages.json),
  code('graphql', all(languages.json, script)),
  code('html', languages.html),
  code('vue', all(languages.html, script)),
  code('markdown', all(languages.prose, languages.html)),
  code('go', go),
  code('javascript', script, { fragment: true }, 'javascript fragment'),
  code('typescript', types, { fragment: true }, 'typescript fragment'),
  code('css', css, { fragment: true }, 'css fragment'),
  code('go', go, { fragment: true }, 'go fragment'),
  {
    ...code('css', css, {}, 'files'),
    input: (text: string) => ({
      language: 'css',
      files: Object.fromEntries(
        (text.match(/[\s\S]{1,100}/g) ?? []).map((part, i) => [`${i}`, part]),
      ),
    }),
  },
];

const page = (name: string, options: object): Field => ({
  tool: 'html-to-markdown',
  name,
  language: languages.html,
  limit: 5 * MiB,
  input: (html) => ({ html, options }),
});

const pages = [
  page('page', {}),
  page('page with base_url', { base_url: 'http://a/b/c' }),
  page('page without links', { include_links: false, include_images: false }),
  page('article', { extract_article: true }),
  {
    ...page('base_url', {}),
    language: languages.url,
    limit: 5 * MiB,
    input: (base_url: string) => ({ html: '<a href="b">c</a>', options: { base_url } }),
  },
  ...(['include', 'exclude'] as const).map((name) => ({
    ...page(name, {}),
    language: languages.css,
    limit: 1000,
    input: (selector: string) => ({
      html: '<p><a href="b">c</a></p>'.repeat(1000),
      options: { [name]: selector },
    }),
  })),
];

const written = (tool: string, name: string, more: Record<string, unknown>): Field => ({
  tool,
  name,
  language: languages.prose,
  limit: 1_000_000,
  input: (text) => ({ text, ...more }),
});

const texts = [
  written('summarize', 'paragraph', { style: 'paragraph' }),
  written('summarize', 'bullets', { style: 'bullets', max_length: 1e6 }),
  written('summarize', 'tldr', { style: 'tldr', max_length: 3 }),
  ...['formal', 'casual', 'friendly', 'concise', 'simplified', 'technical'].map((target) =>
    written('rewrite', target, { target }),
  ),
];

const file = (
  name: string,
  language: Language,
  encoding: 'utf8' | 'latin1' | 'utf16le',
): Field => ({
  tool: 'detect-file',
  name,
  language,
  limit: 10 * MiB,
  input: (text) => ({ content: Buffer.from(text, encoding).toString('base64') }),
});

/**
 * A header that says where the parts of the file are, all of it one of them and each the same.
 * @param count of the parts
 */
function executable(text: string, count: number): Record<string, unknown> {
  const bytes = Buffer.from(text, 'latin1');
  const header = Buffer.alloc(0x78);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(3, 0x10); // a shared object
  header.writeUInt16LE(0x3e, 0x12);
  header.writeUInt32LE(1, 0x14);
  header.writeBigUInt64LE(0x40n, 0x20);
  header.writeUInt16LE(0x40, 0x34);
  header.writeUInt16LE(0, 0x36); // each header at the place of the first
  header.writeUInt16LE(count, 0x38);
  header.writeUInt32LE(2, 0x40); // dynamic
  header.writeBigUInt64LE(0x78n, 0x48);
  header.writeBigUInt64LE(BigInt(bytes.length), 0x60);
  return { content: Buffer.concat([header, bytes]).toString('base64') };
}

const files: Field[] = [
  file(
    'text',
    all(languages.source, {
      tokens: [
        ...languages.json.tokens,
        ...languages.yaml.tokens,
        ...languages.toml.tokens,
        ...languages.html.tokens,
        ...languages.css.tokens,
      ],
      nests: [...languages.json.nests!, ...languages.toml.nests!],
    }),
    'utf8',
  ),
  file('wide text', languages.source, 'utf16le'),
  file('binary', languages.binary, 'latin1'),
  {
    ...file('executable', { tokens: ['\0', 'a', '\xff'] }, 'latin1'),
    input: (text) => executable(text, 0xffff),
  },
];

export const fields: Field[] = [
  ...validates,
  ...['generate', 'decode'].map((action) =>
    lightField(
      'uuid',
      action,
      all(encoded, { tokens: ['{', '}', 'urn:uuid:', '0', '0-', 'I', 'İ'] }),
      (value) => ({ action, value }),
    ),
  ),
  ...encodes,
  ...hashes,
  ...dates,
  ...crons,
  ...slugs,
  ...cases,
  ...escapes,
  ...jsonEscapes,
  ...diffs,
  ...codes,
  ...pages,
  ...texts,
  ...files,
];

/** Whose time is all the others' too: they run beside everybody's calls. */
export const lightTools = new Set([
  'uuid',
  'encode',
  'hash',
  'datetime',
  'cron',
  'generate',
  'slug',
  'case',
  'escape',
  'json-escape',
]);
