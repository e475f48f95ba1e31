// Is a picture of a page as quick as a Puppeteer script on the same browser? A page without scripts and
// one with a script, one after the other in turns and for eight callers at once. Both sides open a
// context for each picture, and wait as long for the page.
import { startBrowser } from '../test/e2e/browser.ts';
import { startOwnService } from '../test/e2e/service.ts';
import { startSite } from '../test/e2e/pages.ts';
import { median, timed } from './load.ts';

const text = '<p>The quick brown fox jumps over the lazy dog. </p>'.repeat(100);
const site = await startSite({
  '/still': `<!doctype html><h1>Hello</h1>${text}`,
  '/scripted': `<!doctype html><h1>Hello</h1>${text}<script>document.body.append('!')</script>`,
});
const service = await startOwnService();
const { browser, stop } = await startBrowser();
try {
  const still = await compare('a page without scripts, loaded', '/still', 'load');
  const scripted = await compare('one with a script, network idle', '/scripted', 'networkidle2');
  const theirs = await together(() => raw('/still', 'load'));
  const ours = await together(() => call('/still'));
  console.log(
    `eight callers: ${ours.toFixed(1)} pictures a second, puppeteer ${theirs.toFixed(1)}`,
  );
  console.log(
    `ratio to puppeteer: ${still.toFixed(2)} and ${scripted.toFixed(2)} (wanted: 1.30 or less), eight at once ${(theirs / ours).toFixed(2)}`,
  );
} finally {
  await stop();
  site.stop();
  await service.stop();
}

async function compare(name: string, path: string, until: 'load' | 'networkidle2') {
  const times: { ours: number; theirs: number }[] = [];
  for (let i = 0; i < 12; i++) {
    const theirs = await timed(() => raw(path, until));
    const ours = await timed(() => call(path));
    if (i >= 2) times.push({ ours, theirs });
  }
  const [ours, theirs] = [median(times.map((t) => t.ours)), median(times.map((t) => t.theirs))];
  console.log(`${name}: ${ours.toFixed(0)} ms, puppeteer ${theirs.toFixed(0)} ms`);
  return ours / theirs;
}

/** How often something is done in a second when eight do it at once. */
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
