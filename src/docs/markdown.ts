import { statusOf } from '../errors.ts';
import { tools } from '../tools/index.ts';
import { MiB, type Tool } from '../tools/tool.ts';
import { fieldsOf, type Field } from './fields.ts';
import { snippets } from './snippets.ts';

const catalogue: readonly Tool[] = tools;

export const toolNamed = (name: string) => catalogue.find((tool) => tool.name === name);

export const priceOf = ({ credits }: Tool) =>
  credits === 0 ? 'free' : `${credits} credit${credits === 1 ? '' : 's'}`;

/** The page of a tool. */
export function toolPage(tool: Tool, origin: string): string {
  const { name, path = name, summary, description = '', upload, bodyLimit = 10 * MiB } = tool;
  const [first] = tool.examples;
  return [
    `# ${name}`,
    `${summary}. ${capital(priceOf(tool))}.`,
    `\`POST ${origin}/api/${path}\` with JSON of up to ${Math.floor(bodyLimit / MiB)} MB${
      upload
        ? `, or \`POST ${origin}/api/${upload.path}\` with a form: the file in \`${upload.field}\` (up to ${upload.limit / MiB} MB), and all else as JSON in \`options\``
        : ''
    }. A call may take ${tool.seconds} s, once its body is there.`,
    description,
    '## What it takes',
    table(fieldsOf(tool.input, 'input'), 'input'),
    '## What it answers',
    tool.answersFile
      ? `The file itself: ${tool.answersFile.map((type) => `\`${type}\``).join(', ')}.`
      : table(fieldsOf(tool.output, 'output'), 'output'),
    '## Errors',
    errors(tool),
    '## Examples',
    ...tool.examples.map(
      ({ title, input }) =>
        `${capital(title)}:\n\n${fenced('json', JSON.stringify(input, null, 2))}`,
    ),
    ...(first ? calls(tool, first.input, origin) : []),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function calls(tool: Tool, input: unknown, origin: string): string[] {
  return [
    '## Calls',
    ...Object.entries(snippets(tool, input, origin)).map(([language, source]) =>
      fenced(language === 'curl' ? 'sh' : language, source),
    ),
  ];
}

function table(fields: Field[], io: 'input' | 'output'): string {
  const presence = ({ required, default: usual }: Field) => {
    if (io === 'output') return required ? '' : 'not always';
    if (required) return '**required**';
    return usual === undefined ? '' : `\`${JSON.stringify(usual)}\``;
  };
  const rows = fields.map((field) =>
    [`\`${field.path}\``, field.type, presence(field), field.description].map(cell).join(' | '),
  );
  const third = io === 'input' ? 'default' : 'there';
  return [
    `| field | type | ${third} | meaning |`,
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

const cell = (text: string) => text.replace(/\|/g, String.raw`\|`).replace(/\s+/g, ' ');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** A fence longer than any in the source (CommonMark, 4.5). */
const fenced = (language: string, source: string) => {
  const longest = Math.max(2, ...[...source.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${source}\n${fence}`;
};

function errors({ refusesAs }: Tool): string {
  return `A value that cannot be used is a ${statusOf[refusesAs ?? 'invalid_input']}, and \`errors\` names each field. All errors are
\`{ "message", "code", "errors" }\`, and cost nothing: 401 without a valid key, 402 without credits, 413 for what
is too large, 429 for too many calls, 503 for something that is away just now (both with \`Retry-After\`), and
503 with the code \`timeout\` for a call that did not end within its time limit.`;
}

/** The page of all tools. */
export const indexPage = (origin: string) => `# Developer utilities

${catalogue.length} tools for programs and people, exact where others are roughly right. JSON in, JSON out: \`POST\` to
\`${origin}/api/<tool>\` with \`Authorization: Bearer sk_svc_…\` and \`Content-Type: application/json\`. Only an answer
is paid for, and every answer says what it cost (\`X-Credits-Cost\`) and what is left (\`X-Credits-Remaining\`).

A call that costs credits and has an \`Idempotency-Key\` may be repeated for 24 hours, and is paid for once.
Fields that a tool does not have are ignored, and the answer names them (\`X-Ignored-Fields\`, \`X-Did-You-Mean\`).

| tool | what it does | price |
| --- | --- | --- |
${catalogue.map((tool) => `| [${tool.name}](${origin}/docs/${tool.name}) | ${cell(tool.summary)} | ${priceOf(tool)} |`).join('\n')}

Programs find all of this as [OpenAPI](${origin}/openapi.json), AI agents by the Model Context Protocol at
\`${origin}/mcp\`, and readers without a browser as Markdown: add \`.md\` to any address, or begin at
[llms.txt](${origin}/llms.txt).
`;

/** What a language model reads first (llmstxt.org). */
export const llmsText = (origin: string) => `# Developer Utility Service

> An HTTP API of developer utilities behind API keys and credits. POST JSON to ${origin}/api/<tool> with an
> Authorization header: Bearer and an API key. Also by MCP at ${origin}/mcp.

## Tools

${catalogue.map((tool) => `- [${tool.name}](${origin}/docs/${tool.name}.md): ${tool.summary} (${priceOf(tool)})`).join('\n')}

## Reference

- [OpenAPI](${origin}/openapi.json): every field, default and limit
- [Overview](${origin}/docs.md): how to call, and the list of tools
`;
