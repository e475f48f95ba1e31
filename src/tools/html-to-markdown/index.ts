import { z } from 'zod';
import { defineTool, MiB, price } from '../tool.ts';

const selectors = () =>
  z.union([z.string().max(1000), z.array(z.string().max(1000)).max(20)]).optional();

const input = () =>
  z.object({
    html: z.string(),
    options: z
      .object({
        extract_article: z.boolean().default(false),
        include_links: z.boolean().default(true).describe('If false, the text of links stays'),
        include_images: z.boolean().default(true),
        base_url: z
          .string()
          .optional()
          .describe("Address of the page, to make links absolute; the page's `<base>` is used too"),
        links: z
          .enum(['inline', 'references', 'none'])
          .optional()
          .describe('`references` puts the addresses below the text; `inline` unless given'),
        include: selectors().describe(
          'CSS selectors of the parts to keep; the whole page unless given',
        ),
        exclude: selectors().describe('CSS selectors of the parts to leave out'),
        max_tokens: z
          .int()
          .min(1)
          .optional()
          .describe('Cut the Markdown to about this many tokens, with a warning in `error`'),
        front_matter: z
          .boolean()
          .default(false)
          .describe(
            'Begin with YAML: title, author, date, language, site and canonical_url, if known',
          ),
      })
      .prefault({}),
  });
export type Input = z.output<ReturnType<typeof input>>;

export const htmlToMarkdown = defineTool({
  name: 'html-to-markdown',
  summary: 'Turn HTML into Markdown',
  description: `The output is CommonMark with the tables, task lists and strikethrough of GFM. HTML is parsed as browsers do.
Scripts, styles, comments and hidden elements are omitted. \`extract_article\` keeps the content that Firefox's reader
view shows (Readability); if there is no article, the whole page is returned with a warning in \`error\`.

- **Parts of a page**: \`include\` and \`exclude\` take CSS selectors, one or a list. \`max_tokens\` cuts the Markdown
  after a whole block or word. \`front_matter\` puts what the page says about itself before it, as YAML.
- **Tables**: the first row is the header. Where a cell spans columns or rows, the further cells are empty. A table
  without headers that has one column, or headings, lists or code in its cells, is layout: its cells follow each other.
- **Formulas** keep their TeX source if the page contains it (MathML, MathJax, KaTeX): \`$…$\`, displayed \`$$…$$\`.
- **Code** keeps its language. Numbers of lines and copy buttons are omitted.
- **Pictures** that scripts load later are found in \`data-src\`, \`srcset\`, \`<picture>\` and \`<noscript>\`.
  \`data:\` pictures are omitted. \`<video>\`, \`<audio>\` and \`<iframe>\` become links.
- **Text**: \`10<sup>6</sup>\` is 10⁶; where Unicode has no such character, \`<sup>\` and \`<sub>\` stay. Emphasis that
  CommonMark cannot write, as of \`<b>Note:</b>this\`, is left out. Terms of definition lists and the summary of
  \`<details>\` are bold. Footnotes stay links. Of \`javascript:\` links only the text stays.

The body may have 5 MB.`,
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
      byline: z.string().describe('Empty if there is none'),
      excerpt: z.string().describe('Empty if there is none'),
      token_estimate: z.int().describe('Estimated tokens of GPT models; usually within 15 %'),
      error: z.string().describe('Warning; empty if there is none'),
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
      title: 'the main part, with addresses below it',
      input: {
        html: '<nav>Menu</nav><main><h1>Docs</h1><p>See <a href="/api?v=1&page=2">the API</a>.</main>',
        options: { include: 'main', links: 'references' },
      },
    },
    {
      title: 'links made absolute',
      input: { html: '<a href="/docs">Docs</a>', options: { base_url: 'https://example.com/' } },
    },
  ],
  run: async (input) => (await import('#workshop/tools/html-to-markdown/run.ts')).run(input),
});
