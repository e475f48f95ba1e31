// npm run deploy: uploads the workshop, then the front that is bound to it.
import { spawnSync } from 'node:child_process';
import { buildEnvironment, wrangler, writeConfig } from './bundles.ts';

for (const part of ['workshop', 'front'] as const) {
  const args = [wrangler, 'deploy', '--config', await writeConfig(part), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: buildEnvironment(part),
  });
  if (status !== 0) process.exit(status ?? 1);
}
