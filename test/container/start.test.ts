import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startConverter } from '../../scripts/service.ts';

const run = promisify(execFile);

it.each([{}, { HOST: '0.0.0.0' }, { HOST: '::' }, { HOST: '127.0.0.1.evil.example' }])(
  'does not start without a secret on a public address: %o',
  async (settings) => {
    const { CONVERTER_SECRET: _, HOST: __, ...env } = process.env;
    const started = run(process.execPath, ['container/src/main.ts'], {
      env: { ...env, ...settings },
      timeout: 20_000,
    });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Set CONVERTER_SECRET, or HOST=127.0.0.1'),
    });
  },
);

it('serves a loopback address without a secret', async () => {
  const converter = await startConverter({ CONVERTER_SECRET: '' });
  const body = JSON.stringify({ content: '# A', from: 'markdown', to: 'html' });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${converter.url}/convert`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  await converter.stop();
});

it('refuses another secret', async () => {
  const converter = await startConverter();
  for (const authorization of ['', 'Bearer ', 'Bearer wrong', `Bearer ${converter.secret}x`]) {
    const headers = { authorization };
    const answer = await fetch(`${converter.url}/convert`, { method: 'POST', headers });
    expect([400, 401]).toContain(answer.status);
    expect(await answer.text()).not.toContain('content');
  }
  await converter.stop();
});
