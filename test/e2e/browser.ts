import puppeteer, { type Browser } from '@cloudflare/puppeteer';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installBrowser } from '../../scripts/browser/install.ts';

/** A browser with somebody before it, who is a script. Throws where there is none to be had. */
export async function startBrowser(): Promise<{ browser: Browser; stop(): Promise<void> }> {
  const installed = await installBrowser();
  if (!installed) throw new Error('it wants Linux on x64');
  const folder = await mkdtemp(join(tmpdir(), 'chrome-'));
  const flags = ['--headless=new', '--hide-scrollbars', '--remote-debugging-port=0'];
  const child = spawn(installed.program, [...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...installed.environment },
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  let said = '';
  for await (const chunk of child.stderr) {
    said += String(chunk);
    const browserWSEndpoint = /listening on (ws:\S+)/.exec(said)?.[1];
    if (!browserWSEndpoint) continue;
    child.stderr.resume();
    return { browser: await puppeteer.connect({ browserWSEndpoint } as never), stop };
  }
  await stop();
  throw new Error(`the browser did not start:\n${said}`);
}
