import { resolve } from 'node:path';
import { installBrowser } from '../../scripts/browser/install.ts';
import { freePort } from '../../scripts/free-port.ts';
import { run } from '../../scripts/program.ts';

/** Runs `wrangler dev` with these configurations, of which the first one gets the requests. */
export async function startDevelopment(persistTo: string, configs: string[] = []) {
  const port = await freePort();
  const args = ['dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'];
  args.push('--inspector-port', String(await freePort()), '--persist-to', persistTo);
  args.push('--show-interactive-dev-session', 'false');
  args.push(...configs.flatMap((config) => ['--config', config]));
  return run('wrangler dev', `http://127.0.0.1:${port}`, {
    command: resolve('node_modules/wrangler/bin/wrangler.js'),
    args,
    env: {
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      ...(await installBrowser())?.environment,
    },
  });
}
