import { expect, it } from 'vitest';
import { startConverter } from '../../scripts/service.ts';
import { cpuMs, descendantsOf, isAlive } from '../e2e/processes.ts';
import { convert } from './converter.ts';

/** Typst computes for minutes, and hears nothing meanwhile. */
const endless =
  '```{=typst}\n#for a in range(99999) { for b in range(99999) { let c = a * b } }\n```';

it.skipIf(process.platform !== 'linux')(
  'leaves no process behind when it is killed, not even one that computes',
  async () => {
    const converter = await startConverter();
    convert(converter, { content: endless, from: 'markdown', to: 'pdf' }).catch(() => {});
    const computing = () => descendantsOf(converter.pid).filter(({ pid }) => cpuMs(pid) > 3000);
    await expect.poll(computing, { timeout: 20_000 }).not.toEqual([]);
    const processes = descendantsOf(converter.pid);
    process.kill(converter.pid, 'SIGKILL');
    await expect.poll(() => processes.filter(isAlive), { timeout: 5000 }).toEqual([]);
    await converter.stop();
  },
);
