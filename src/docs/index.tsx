// oxlint-disable-next-line import/default -- it comes as text (wrangler.toml), for pages to load
import markdownRenderer from '../../node_modules/marked/lib/marked.esm.js';
import { Hono } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { ServiceError } from '../errors.ts';
import { originOf } from '../origin.ts';
import { page, pageHeaders } from '../page/page.tsx';
import { tools } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import styles from './docs.css';
import { indexPage, llmsText, toolNamed, toolPage } from './markdown.ts';
import { Playground } from './playground.tsx';
import script from './run.client.js';

/** Documentation: a page with a form for each tool, and every page as Markdown. */
export const docs = new Hono<{ Bindings: Env }>();

docs.use('/docs/*', pageHeaders);
docs.use('/assets/*', pageHeaders);

docs.get('/llms.txt', (c) => c.text(llmsText(originOf(c.env, c.req.url))));
docs.get('/docs.md', (c) => markdown(indexPage(originOf(c.env, c.req.url))));
docs.get('/docs', async (c) =>
  c.html(docsPage('Developer utilities', await rendered(indexPage(originOf(c.env, c.req.url))))),
);
// Not below `/docs/`: beside `/docs/:page`, Hono's quick router takes none of our paths.
docs.get('/assets/docs.css', (c) => c.body(styles, 200, { 'Content-Type': 'text/css' }));
docs.get('/assets/run.js', (c) => c.body(script, 200, { 'Content-Type': 'text/javascript' }));
docs.get('/assets/marked.js', (c) =>
  c.body(markdownRenderer, 200, { 'Content-Type': 'text/javascript' }),
);
docs.get('/docs/:page', async (c) => {
  const { page: asked } = c.req.param();
  const tool = toolNamed(asked.replace(/\.md$/, ''));
  if (!tool) throw new ServiceError('not_found', `no such page: ${c.req.path}`);
  const source = toolPage(tool, originOf(c.env, c.req.url));
  if (asked.endsWith('.md')) return markdown(source);
  const content = (
    <>
      <a class="jump" href="#try">
        Try it
      </a>
      {await rendered(source)}
      <Playground tool={tool} />
    </>
  );
  return c.html(docsPage(tool.name, content, tool));
});

const markdown = (source: string) =>
  new Response(source, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });

/** Renders Markdown without sanitizing: the source is written in this repository. */
async function rendered(source: string) {
  const { marked } = await import('marked');
  return raw(await marked(source));
}

function docsPage(title: string, children: Child, current?: Tool) {
  return page({
    title,
    about: 'Tools',
    style: '/assets/docs.css',
    links: [
      { href: '/docs', text: 'Developer utilities', current: !current },
      { href: '/dashboard', text: 'Dashboard' },
      ...(tools as readonly Tool[]).map((tool) => ({
        href: `/docs/${tool.name}`,
        text: tool.name,
        current: tool === current,
      })),
    ],
    ...(current && { script: '/assets/run.js' }),
    children,
  });
}
