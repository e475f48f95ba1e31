import { Hono } from 'hono';
import { html, raw } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';
import { ServiceError } from '../errors.ts';
import { tools } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import styles from './docs.css';
import { indexPage, llmsText, priceOf, toolNamed, toolPage } from './markdown.ts';
import script from './run.client.js';

/** What one reads: a page for each tool, where it can be tried, and all of it as Markdown. */
export const docs = new Hono<{ Bindings: Env }>();

docs.use(
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'blob:', 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  }),
);

docs.get('/llms.txt', (c) => c.text(llmsText(originOf(c.req.url))));
docs.get('/docs.md', (c) => markdown(indexPage(originOf(c.req.url))));
docs.get('/docs', async (c) =>
  c.html(page('Developer utilities', await rendered(indexPage(originOf(c.req.url))))),
);
docs.get('/docs/docs.css', (c) => c.body(styles, 200, { 'Content-Type': 'text/css' }));
docs.get('/docs/run.js', (c) => c.body(script, 200, { 'Content-Type': 'text/javascript' }));
docs.get('/docs/:page', async (c) => {
  const { page: asked } = c.req.param();
  const tool = toolNamed(asked.replace(/\.md$/, ''));
  if (!tool) throw new ServiceError('not_found', `no such page: ${c.req.path}`);
  const source = toolPage(tool, originOf(c.req.url));
  if (asked.endsWith('.md')) return markdown(source);
  return c.html(page(tool.name, html`${await rendered(source)}${playground(tool)}`, tool));
});

const originOf = (url: string) => new URL(url).origin;

const markdown = (source: string) =>
  new Response(source, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });

/** The source is ours, so its HTML is what we wrote. */
async function rendered(source: string) {
  const { marked } = await import('marked');
  return raw(await marked(source));
}

function page(title: string, content: unknown, current?: Tool) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/docs.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <nav aria-label="Tools">
          <a href="/docs">Developer utilities</a>
          <ul>
            ${(tools as readonly Tool[]).map(
              (tool) =>
                html`<li>
                  <a href="/docs/${tool.name}" ${tool === current ? raw('aria-current="page"') : ''}
                    >${tool.name}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
        <main>${content}</main>
      </body>
    </html>`;
}

/** A form that runs the tool; it needs a script, since a key goes into a header. */
function playground({ name, path = name, upload, examples, ...rest }: Tool) {
  const sources = examples.map(({ title, input }) => ({
    title,
    source: JSON.stringify(input, null, 2),
  }));
  return html`<h2 id="try">Try it</h2>
    <p class="quiet">
      ${priceOf({ name, examples, ...rest })} for an answer, nothing for an error.
    </p>
    <form hidden data-path="/api/${path}" data-upload="/api/${upload?.path ?? ''}">
      <label
        >API key <input name="key" type="password" autocomplete="off" placeholder="sk_svc_…"
      /></label>
      <label
        >Example
        <select name="example">
          ${sources.map(({ title, source }) => html`<option value="${source}">${title}</option>`)}
        </select></label
      >
      ${upload ? html`<label>File, in place of the field ${upload.as} <input name="file" type="file" /></label>` : ''}
      <label>JSON <textarea name="body" spellcheck="false">${sources[0]?.source}</textarea></label>
      <button>Run</button>
      <output aria-live="polite"></output>
    </form>
    <noscript>The form needs JavaScript; the calls above do not.</noscript>
    <script type="module" src="/docs/run.js"></script>`;
}
