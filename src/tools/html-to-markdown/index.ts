import { z } from 'zod';
import { defineTool, MiB, price } from '../tool.ts';

const input = () =>
  z.object({
    html: z.string(),
    options: z
      .object({
        extract_article: z.boolean().default(false),
        include_links: z.boolean().default(true).describe('Without them their text stays'),
        include_images: z.boolean().default(true),
        base_url: z
          .string()
          .optional()
          .describe(
            "Where the page stands: makes links absolute, together with the page's `<base>`",
          ),
      })
      .prefault({}),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const htmlToMarkdown = defineTool({
  name: 'html-to-markdown',
  summary: 'Turn HTML into Markdown',
  description: `CommonMark with the tables, task lists and strikethrough of GFM; read as browsers read HTML. Scripts,
styles, comments and hidden elements are left out. \`extract_article\` keeps what Firefox's reader view
would show (Readability); when there is no article, the whole page comes back and \`error\` says so.

Terms of definition lists are in bold before their descriptions, footnotes stay links, formulas keep
their TeX where the page has it. A table's first row is its header. \`data:\` pictures are left out, and
so are \`javascript:\` links, whose text stays. Up to 5 MB.`,
  credits: price.standard,
  runsIn: 'workshop',
  seconds: 10,
  bodyLimit: 5 * MiB,
  get input() {
    return input();
  },
  get output() {
    return z.object({
      markdown: z.string(),
      title: z.string(),
      byline: z.string().describe('Empty when there is none'),
      excerpt: z.string().describe('Empty when there is none'),
      token_estimate: z
        .int()
        .describe('About as many tokens as GPT models count; mostly within 15 %'),
      error: z.string().describe('A warning, or empty'),
    });
  },
  examples: [
    {
      title: 'a list and a table',
      input: {
        html: '<h1>Hello</h1><ul><li>one<li><b>two</b></ul><table><tr><th>a<th>b<tr><td>1<td>2</table>',
      },
    },
    {
      title: 'links made absolute',
      input: { html: '<a href="/docs">Docs</a>', options: { base_url: 'https://example.com/' } },
    },
  ],
  run: async (input) => (await import('#workshop/tools/html-to-markdown/run.ts')).run(input),
});
