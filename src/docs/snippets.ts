import { toShell } from '../tools/shell-word.ts';
import type { Tool } from '../tools/tool.ts';

/** The code of a call for the shell, JavaScript and Python. */
export function snippets(tool: Tool, input: unknown, origin: string): Record<string, string> {
  const url = `${origin}/api/${tool.path ?? tool.name}`;
  const method = tool.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const free = tool.credits === 0;
  const file = tool.answersFile ? ' -o answer' : '';
  return {
    curl: [
      `curl ${url}${file}`,
      ...(free ? [] : ['-H \'Authorization: Bearer \'"$KEY"']),
      "-H 'Content-Type: application/json'",
      `-d ${toShell(JSON.stringify(input))}`,
    ].join(' \\\n  '),
    javascript: [
      "import { createClient } from 'developer-utility-service/client';",
      '',
      `const client = createClient({ url: '${origin}'${free ? '' : ', key: process.env.KEY'} });`,
      `const answer = await client.${method}(${JSON.stringify(input, null, 2)});`,
    ].join('\n'),
    python: [
      'import os, requests',
      '',
      'answer = requests.post(',
      `    "${url}",`,
      ...(free ? [] : ['    headers={"Authorization": f"Bearer {os.environ[\'KEY\']}"},']),
      `    json=${python(input)},`,
      ')',
      'answer.raise_for_status()',
      tool.answersFile ? 'picture = answer.content' : 'print(answer.json())',
    ].join('\n'),
  };
}

/** A JSON value as Python writes it; its strings are JSON's. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${python(each)}`,
  );
  return `{${entries.join(', ')}}`;
}
