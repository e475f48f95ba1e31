// Is a screenshot as fast as with a Puppeteer script on the same browser? A page without scripts and a page
// with a script, alternately one by one, and for eight concurrent callers. Both sides open a browser context
// for each screenshot and wait for the same events.
import { startBrowser } from '../test/e2e/browser.ts';
import { startOwnService } from '../test/e2e/service.ts';
import { startSite } from '../test/e2e/pages.ts';
import { compared } from './compare.ts';
import { timed } from './load.ts';

const text = '<p>The quick brown fox jumps over the lazy dog. </p>'.repeat(100);
const site = await startSite({
  '/still': `<!doctype html><h1>Hello</h1>${text}`,
  '/scripted': `<!doctype html><h1>Hello</h1>${text}<script>document.body.append('!')</script>`,
});
const service = await startOwnService();
const { browser, stop } = await startBrowser();
try {
  await compare('a page without scripts, loaded', '/still', 'load');
  await compare('a page with a script, network idle', '/scripted', 'networkidle2');
  const rounds = [1, 2, 3];
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (const _ of rounds) {
    theirs.push(await together(() => raw('/still', 'load')));
    ours.push(await together(() => call('/still')));
  }
  const what = 'pictures for eight callers at once';
  const wanted = 'none; no failure';
  compared({ what, unit: 'a second', ours, peer: 'Puppeteer', theirs, wanted });
} finally {
  await stop();
  site.stop();
  await service.stop();
}

async function compare(name: string, path: string, until: 'load' | 'networkidle2') {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < 12; i++) {
    const other = await timed(() => raw(path, until));
    const own = await timed(() => call(path));
    if (i < 2) continue;
    ours.push(own);
    theirs.push(other);
  }
  const what = `a picture of ${name}`;
  compared({ what, unit: 'ms', ours, peer: 'Puppeteer', theirs, wanted: '1.30 or less' });
}

/** Returns the operations per second of eight concurrent callers. */
async function together(work: () => Promise<void>): Promise<number> {
  let left = 40;
  const one = async () => {
    while (left-- > 0) await work();
  };
  const time = await timed(() => Promise.all(Array.from({ length: 8 }, one)));
  return 40_000 / time;
}

async function raw(path: string, waitUntil: 'load' | 'networkidle2'): Promise<void> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  await page.goto(site.url + path, { waitUntil });
  await page.screenshot();
  await context.close();
}

async function call(path: string): Promise<void> {
  const answer = await fetch(`${service.url}/api/screenshot`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.key}` },
    body: JSON.stringify({ url: site.url + path }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
