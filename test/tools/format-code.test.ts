import type { Plugin } from 'prettier';
import * as glimmer from 'prettier/plugins/glimmer';
import * as yaml from 'prettier/plugins/yaml';
import { describe, expect, it } from 'vitest';
import { languageOfFile } from '../../src/tools/format-code/file-language.ts';
import { formatCode } from '../../src/tools/format-code/index.ts';
import { refusal, run } from './run.ts';

const format = async (language: string, code: string, more = {}) =>
  (await run(formatCode, { language, code, ...more })).formatted;

it.each([
  ['js', 'if(a){b()}', 'if (a) {\n\tb();\n}\n', 'javascript'],
  ['ts', 'const x:number=1', 'const x: number = 1;\n', 'typescript'],
  ['jsx', 'const a=<b c="d"/>', 'const a = <b c="d" />;\n', 'jsx'],
  ['tsx', 'const f=<T,>(x:T)=><b>{x}</b>', 'const f = <T,>(x: T) => <b>{x}</b>;\n', 'tsx'],
  ['json', '{"a":[1,2]}', '{ "a": [1, 2] }\n', 'json'],
  ['css', 'a{b:c}', 'a {\n\tb: c;\n}\n', 'css'],
  ['go', 'package a\nfunc f( ){\nx:=1}', 'package a\n\nfunc f() {\n\tx := 1\n}\n', 'go'],
] as const)('formats %s', async (language, code, formatted, language_detected) => {
  expect(await run(formatCode, { language, code })).toEqual({
    formatted,
    language_detected,
    changes_made: true,
  });
  expect(await run(formatCode, { language, code: formatted })).toEqual({
    formatted,
    language_detected,
    changes_made: false,
  });
});

it('follows the config', async () => {
  expect(await format('js', 'if(a){b()}', { config: { indent_width: 4 } })).toBe(
    'if (a) {\n    b();\n}\n',
  );
  expect(await format('js', 'if(a){b()}', { config: { indent_width: 4, use_tabs: true } })).toBe(
    'if (a) {\n\tb();\n}\n',
  );
  expect(await format('js', 'if(a){b()}', { config: { use_tabs: false } })).toBe(
    'if (a) {\n  b();\n}\n',
  );
  expect(await format('js', 'a();b()', { config: { semicolons: false } })).toBe('a()\nb()\n');
  expect(await format('go', 'package a\nfunc f(){\nx()}', { config: { indent_width: 2 } })).toBe(
    'package a\n\nfunc f() {\n\tx()\n}\n',
  );
});

it('formats what stands in template literals', async () => {
  expect(await format('js', 'const a=css`a{b:c}`')).toBe(
    'const a = css`\n\ta {\n\t\tb: c;\n\t}\n`;\n',
  );
});

it('formats many files, each by its extension', async () => {
  const files = {
    'a.css': 'a{b:c}',
    'b.go': 'package b',
    'package.json': '{"a":1}',
    unknown: 'x=1',
  };
  expect(await run(formatCode, { language: 'js', files })).toEqual({
    files: {
      'a.css': 'a {\n\tb: c;\n}\n',
      'b.go': 'package b\n',
      'package.json': '{\n\t"a": 1\n}\n',
      unknown: 'x = 1;\n',
    },
    language_detected: 'javascript',
    changes_made: true,
  });
});

describe('fragments', () => {
  it.each([
    ['js', '{a:1}', '{ a: 1 }\n'],
    ['js', 'a();return b', 'a();\nreturn b;\n'],
    ['ts', 'x as  Y', 'x as Y\n'],
    ['css', 'color:red;margin:0', 'color: red;\nmargin: 0;\n'],
    ['json', '[1,2]', '[1, 2]\n'],
    ['go', 'x:=1\nif x>1{y()}', 'x := 1\nif x > 1 {\n\ty()\n}\n'],
  ])('%s %j', async (language, code, formatted) => {
    expect(await format(language, code, { fragment: true })).toBe(formatted);
  });
});

it.each([
  ['js', 'let x = ;', 'line 1, column 9'],
  ['ts', 'a\nb c', 'line 2'],
  ['css', 'a{', 'line 1, column 1'],
  ['json', '{"a"', 'line 1'],
  ['go', 'package a\nfunc f({', 'line 2, column 8'],
])('says where the %s error is', async (language, code, place) => {
  const { status, path, message } = await refusal(formatCode, { language, code });
  expect({ status, path }).toEqual({ status: 422, path: 'code' });
  expect(message).toContain(place);
});

it.each(['{}', '{a:b}', 'a{}{}'])('says that CSS lacks a selector: %s', async (code) => {
  const { status, message } = await refusal(formatCode, { language: 'css', code });
  expect([status, message]).toEqual([422, expect.stringContaining('a rule has no selector')]);
});

it('refuses CSS of which Prettier makes no sense', async () => {
  const { status, message } = await refusal(formatCode, { language: 'css', code: 'a{--b:{a}}' });
  expect([status, message]).toEqual([422, expect.stringContaining('Prettier cannot format it')]);
});

it.each([
  ['a.jsonc', '// a\n{"b":[1,2],}', '// a\n{ "b": [1, 2] }\n', 'jsonc'],
  ['a.json5', "{b:'c',d:+1}", '{ b: "c", d: +1 }\n', 'json5'],
  ['a.scss', '$a:1px;.b{.c{d:$a}}', '$a: 1px;\n.b {\n\t.c {\n\t\td: $a;\n\t}\n}\n', 'scss'],
  ['a.less', '@a:1px;.b{.c()}', '@a: 1px;\n.b {\n\t.c();\n}\n', 'less'],
  ['a.graphql', 'type A{b:String!}', 'type A {\n\tb: String!\n}\n', 'graphql'],
  ['a.html', '<p>a<br>b', '<p>a<br />b</p>\n', 'html'],
  ['a.vue', '<script setup>let a=1</script>', '<script setup>\nlet a = 1;\n</script>\n', 'vue'],
  ['a.md', '* a\n* b', '- a\n- b\n', 'markdown'],
  ['a.mjs', 'export  default 1', 'export default 1;\n', 'javascript'],
  ['a.cts', 'let a:A', 'let a: A;\n', 'typescript'],
  ['dir.py/A.TSX', 'let a=<b/>', 'let a = <b />;\n', 'tsx'],
  ['C:\\b\\.babelrc', '{"a":1}', '{ "a": 1 }\n', 'json'],
])('formats %s by its name', async (name, source, formatted, language) => {
  const answer = await run(formatCode, { language: 'go', files: { [name]: source } });
  expect(answer).toMatchObject({ files: { [name]: formatted }, language_detected: language });
});

it.each(['jsonc', 'json5', 'scss', 'less', 'graphql', 'html', 'vue', 'markdown'])(
  'takes %s as language, also of a fragment',
  async (language) => {
    const code = { jsonc: '{}', json5: '{}', graphql: 'type A{b:C}' }[language] ?? '';
    for (const fragment of [false, true]) {
      const answer = await run(formatCode, { language, code, fragment });
      expect(answer.language_detected).toBe(language);
    }
  },
);

it('refuses a file of a language that it does not format, and one with an unknown name it does not', async () => {
  const files = { 'a.js': 'a', 'src/m.py': 'x = 1', 'b.rs': 'let a;', 'c.YML': 'a: 1' };
  const { status, message } = await refusal(formatCode, { language: 'js', files });
  expect(status).toBe(422);
  expect(message).toBe(
    ['src/m.py', 'b.rs', 'c.YML']
      .map((name) => `files.${name}: is in a language that this tool does not format; leave it out`)
      .join('; '),
  );
  for (const name of ['main', 'a.txt', 'a.b', '.envy', 'Dockerfile.js~', 'a.']) {
    const { files: formatted } = await run(formatCode, { language: 'js', files: { [name]: 'a' } });
    expect(formatted).toEqual({ [name]: 'a;\n' });
  }
});

it('knows every name of Prettier’s plugins that are not in the tool', async () => {
  const others = ([yaml, glimmer] as Plugin[]).flatMap(({ languages = [] }) => languages);
  const names = others.flatMap(({ extensions = [], filenames = [] }) => [
    ...extensions.map((extension) => `a${extension}`),
    ...filenames,
  ]);
  expect(names.length).toBeGreaterThan(20);
  const found = [];
  for (const name of [...names, 'Dockerfile', 'src/Makefile', '.gitignore', 'Gemfile']) {
    found.push([name, await languageOfFile(name)]);
  }
  expect(found.filter(([, language]) => language !== 'foreign')).toEqual([
    // Prettier formats it as YAML and as JSON.
    ['.releaserc', 'json'],
  ]);
  expect(await languageOfFile('app.component.html')).toBe('html');
});

it('names every file with an error, in the same form', async () => {
  const files = {
    'a.js': '(',
    'b.ts': 'let x = ;',
    'c.css': 'a{',
    'd.json': '{',
    'e.go': 'package a\nfunc f({',
    'f.graphql': 'type A {',
    'g.html': '<a></b>',
    'h.scss': 'a{',
    'i.js': 'fine()',
    'j.py': '',
  };
  const { message } = await refusal(formatCode, { language: 'js', files });
  const parts = message.split('; files.');
  expect(parts).toHaveLength(9);
  for (const part of parts.slice(0, 8)) {
    expect(part).toMatch(
      /^(?:files\.)?[a-h]\.\w+: is not valid [A-Z]\w+: .*[^.] \(line \d, column \d+\)$/,
    );
    expect(part).not.toMatch(/Error:|https?:/);
  }
});

it('names the file with the error', async () => {
  expect(
    (await refusal(formatCode, { language: 'js', files: { 'a.js': 'a', 'b.js': '(' } })).path,
  ).toBe('files.b.js');
});

it.each([{ language: 'js' }, { language: 'js', code: 'a', files: {} }])(
  'wants code or files, not both: %j',
  async (input) => {
    expect(await refusal(formatCode, input)).toMatchObject({ status: 422, path: 'code' });
  },
);

it('formats nothing as nothing', async () => {
  expect(await format('js', '')).toBe('');
});
