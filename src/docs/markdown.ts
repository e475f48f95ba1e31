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
    `\`POST ${origin}/api/${path}\` with a JSON body of up to ${Math.floor(bodyLimit / MiB)} MB${
      upload
        ? `, or \`POST ${origin}/api/${upload.path}\` with a multipart form: the file in the form field \`${upload.field}\` (up to ${upload.limit / MiB} MB), and the other fields as one JSON object in \`options\``
        : ''
    }. The time limit is ${tool.seconds} s after the body has arrived.`,
    description,
    '## Request',
    table(fieldsOf(tool.input, 'input'), 'input'),
    '## Response',
    tool.answersFile
      ? `The file as the response body: ${tool.answersFile.map((type) => `\`${type}\``).join(', ')}.`
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
    '## Code',
    ...Object.entries(snippets(tool, input, origin)).map(([language, source]) =>
      fenced(language === 'curl' ? 'sh' : language, source),
    ),
  ];
}

function table(fields: Field[], io: 'input' | 'output'): string {
  const presence = ({ required, default: usual }: Field) => {
    if (io === 'output') return required ? '' : 'optional';
    if (required) return '**required**';
    return usual === undefined ? '' : `\`${JSON.stringify(usual)}\``;
  };
  const rows = fields.map((field) =>
    [`\`${field.path}\``, field.type, presence(field), field.description].map(cell).join(' | '),
  );
  const third = io === 'input' ? 'default' : 'presence';
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
  return `The body of an error is \`{ "message", "code", "errors" }\`. An error costs nothing.

| status | cause |
| --- | --- |
| ${statusOf[refusesAs ?? 'invalid_input']} | a field has a value that the tool cannot use; \`errors\` names each field |
| 401 | the API key is missing or invalid |
| 402 | the account has too few credits |
| 413 | the body is too large |
| 429 | too many calls; \`Retry-After\` gives the seconds to wait |
| 503 | a part of the service is unavailable (\`Retry-After\` gives the seconds to wait), or the call reached its time limit (code \`timeout\`) |`;
}

/** The page of all tools. */
export const indexPage = (origin: string) => `# Developer utilities

${catalogue.length} tools behind one HTTP API. Send a JSON body by \`POST\` to \`${origin}/api/<tool>\` with the headers
\`Authorization: Bearer sk_svc_…\` and \`Content-Type: application/json\`. The response is JSON too. Only successful
calls cost credits: the header \`X-Credits-Cost\` gives the price, and \`X-Credits-Remaining\` the balance.

A call with an \`Idempotency-Key\` header may be repeated for 24 hours and is charged once. Fields that a tool does
not have are ignored; the headers \`X-Ignored-Fields\` and \`X-Did-You-Mean\` name them and the fields that may be meant.

| tool | purpose | price |
| --- | --- | --- |
${catalogue.map((tool) => `| [${tool.name}](${origin}/docs/${tool.name}) | ${cell(tool.summary)} | ${priceOf(tool)} |`).join('\n')}

The same interface is described as [OpenAPI](${origin}/openapi.json). AI agents call the tools by the Model Context
Protocol at \`${origin}/mcp\`. Each page is available as Markdown: add \`.md\` to its address, or begin at
[llms.txt](${origin}/llms.txt).
`;

/** The overview for language models (llmstxt.org). */
export const llmsText = (origin: string) => `# Developer Utility Service

> An HTTP API of developer utilities behind API keys and credits. POST JSON to ${origin}/api/<tool> with an
> Authorization header: Bearer and an API key. Also by MCP at ${origin}/mcp.

## Tools

${catalogue.map((tool) => `- [${tool.name}](${origin}/docs/${tool.name}.md): ${tool.summary} (${priceOf(tool)})`).join('\n')}

## Reference

- [OpenAPI](${origin}/openapi.json): every field, default and limit
- [Overview](${origin}/docs.md): how to call, and the list of tools
`;
