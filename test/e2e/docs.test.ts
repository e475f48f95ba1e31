import type { Browser, Page } from '@cloudflare/puppeteer';
import axe from 'axe-core';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { service } from './call.ts';
import { installBrowser } from '../../scripts/browser/install.ts';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { startBrowser } from './browser.ts';
import { print } from '../print.ts';

const { url, key } = service;
const read = async (path: string) => {
  const answer = await fetch(url + path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe('the docs', () => {
  it('have a page for every tool, in HTML and in Markdown', async () => {
    for (const { name, summary } of tools) {
      const html = await read(`/docs/${name}`);
      expect(html.headers.get('content-type')).toContain('text/html');
      expect(html.text).toContain(`<h1>${name}</h1>`);
      const markdown = await read(`/docs/${name}.md`);
      expect(markdown.headers.get('content-type')).toContain('text/markdown');
      expect(markdown.text).toMatch(new RegExp(`^# ${name}\n`));
      expect(markdown.text).toContain(summary);
      expect(markdown.text).not.toMatch(/undefined|\[object|NaN/);
    }
  });

  it('list every tool on the first page', async () => {
    for (const path of ['/docs', '/docs.md', '/llms.txt']) {
      const { text } = await read(path);
      for (const { name } of tools) expect(text, path).toContain(`/docs/${name}`);
    }
  });

  it('have no broken links, and load nothing from other origins', async () => {
    for (const path of ['/docs', '/docs/hash', '/docs/optimize-image']) {
      const { text, headers } = await read(path);
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)];
      for (const [, source] of loaded)
        expect(source).toMatch(/^(?:\/docs\/|\/assets\/|\/page\.css$|data:,$)/);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      for (const [, link] of text.matchAll(/<a[^>]* href="([^"]*)"/g)) {
        expect((await fetch(new URL(link!, url))).status, link).toBe(200);
      }
    }
  });

  it('answer 404 for other pages', async () => {
    for (const path of ['/docs/nothing', '/docs/nothing.md', '/docs/__proto__']) {
      expect((await read(path)).status).toBe(404);
    }
  });

  it('have examples that work unchanged', async () => {
    const { text } = await read('/docs/escape.md');
    const curl = /```sh\n(curl [\s\S]*?)\n```/.exec(text)![1]!;
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`], {
      env: { ...process.env, KEY: key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ output: `'it'\\''s'` });
  });
});

const installed = await installBrowser();
if (!installed) print('skipped: trying tools in a browser, of which there is none for this system');

describe.skipIf(!installed)('a reader', () => {
  let browser: Browser;
  let page: Page;
  let stop: () => Promise<void>;
  const foreign: string[] = [];
  beforeAll(async () => {
    ({ browser, stop } = await startBrowser());
    page = await browser.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url()))
        foreign.push(request.url());
    });
  });
  afterAll(() => stop?.());

  /** Fills the form of a tool's page, runs it, and returns what is shown. */
  async function run(tool: string, body?: string, withKey = key): Promise<string> {
    await page.goto(`${url}/docs/${tool}`);
    await page.evaluate(`{
      const form = document.querySelector('form');
      form.elements.key.value = ${JSON.stringify(withKey)};
      form.elements.body.value = ${JSON.stringify(body)} ?? form.elements.body.value;
      form.requestSubmit();
    }`);
    await page.waitForFunction('document.querySelector("output").textContent.length > 3');
    return (await page.evaluate('document.querySelector("output").textContent')) as string;
  }

  it('runs a tool with a key, and sees what it cost', async () => {
    const shown = await run('hash');
    expect(shown).toMatch(/^200, 1 credit, \d+ left/);
    expect(shown).toContain('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  });

  it('keeps the key as long as the window is open', async () => {
    await run('hash');
    await page.goto(`${url}/docs/slug`);
    expect(await page.$eval('input', (input) => input.value)).toBe(key);
  });

  it('sees the error of a call', async () => {
    expect(await run('hash', '{}')).toMatch(/^422, 0 credits.*input: is required/s);
    expect(await run('hash', '{')).toMatch(/^400, 0 credits/);
    expect(await run('hash', undefined, 'sk_svc_x')).toMatch(/^401, 0 credits.*invalid api key/s);
  });

  it.each((tools as readonly Tool[]).map((tool) => [tool.name, tool] as const))(
    'runs %s by its form',
    async (name, { examples }) => {
      const example = examples.find(({ needsInternet }) => !needsInternet);
      if (!example) return print(`skipped: ${name}, whose examples need the Internet`);
      expect(await run(name, JSON.stringify(example.input))).toMatch(/^200, /);
    },
  );

  it('sees Markdown rendered, in a frame where nothing runs', async () => {
    const markdown =
      '# Title\n\n<img src=x onerror="parent.ran = 1"><script>parent.ran = 1</script>';
    await run(
      'convert-document',
      JSON.stringify({ content: markdown, from: 'markdown', to: 'markdown' }),
    );
    const frame = await page.waitForSelector('output iframe');
    const shown = await frame!.contentFrame();
    await expect.poll(() => shown.$eval('h1', (title) => title.textContent)).toBe('Title');
    expect(await page.evaluate('document.querySelector("iframe").getAttribute("sandbox")')).toBe(
      '',
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('sees pictures as pictures, and diffs in colours', async () => {
    await run('screenshot', '{"html":"<h1>Hello</h1>","width":64,"height":64}');
    await page.waitForFunction('document.querySelector("output img")?.naturalWidth === 64');
    await run('diff', '{"original":"a\\nb\\n","modified":"a\\nc\\n"}');
    const inserted =
      'Array.from(document.querySelectorAll("output .insert"), (each) => each.textContent)';
    expect(await page.evaluate(inserted)).toContain('+c\n');
  });

  it('sees output as text, even if it is HTML', async () => {
    const shown = await run('slug', '{"input":"<img src=x onerror=alert(1)>"}');
    expect(shown).toContain('<img src=x');
    expect(await page.$$eval('output img', (all) => all.length)).toBe(0);
  });

  it.each([
    ['a desk', 1280],
    ['a phone', 390],
  ])('finds no barrier at %s', async (_, width) => {
    await page.setViewport({ width, height: 844 });
    for (const path of ['/docs', '/docs/optimize-image']) {
      await page.goto(url + path);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      // The page's policy lets no script in but its own; the test's comes by the debugger.
      await page.evaluate(axe.source);
      const found = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      expect(found.violations.map(({ id, nodes }) => [id, nodes[0]!.html])).toEqual([]);
    }
  });

  it('sent no request to another origin', () => {
    expect(foreign).toEqual([]);
  });
});
