import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { startService } from '../../scripts/service.ts';
import { descendantsOf } from '../e2e/processes.ts';

it.skipIf(process.platform !== 'linux')(
  'leaves no process when a part does not start while others are starting',
  async () => {
    const state = await mkdtemp(join(tmpdir(), 'state-'));
    const mark = randomUUID();
    vi.stubEnv('TEST_MARK', mark);
    // The configuration language of workerd has no such character: no workshop starts.
    const vars = { TEXT_MODEL_NAME: '\u0001' };
    const starting = startService({ port: await freePort(), persistTo: state, vars, workshops: 1 });
    const marked = () =>
      descendantsOf(process.pid).filter(({ environment }) =>
        environment.includes(`TEST_MARK=${mark}`),
      );
    await expect(starting).rejects.toThrow('a workshop process did not start');
    expect(marked()).toEqual([]);
    await rm(state, { recursive: true });
  },
  60_000,
);
