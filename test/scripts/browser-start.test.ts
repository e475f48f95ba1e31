import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { printStartMessages } from '../../scripts/browser/start-messages.ts';

it('prints what a browser says before its address, and reads the rest without printing it', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const messages = new PassThrough();
  const printing = printStartMessages(messages, (_line, path) => `path ${path}`);
  messages.write('a warning\nDevTools listening on ws://127.0.0.1:9/devtools/browser/1\n');
  const log = 'a message of a page\n'.repeat(1000);
  for (let i = 0; i < 100; i++) if (!messages.write(log)) await once(messages, 'drain');
  messages.end();
  await printing;
  expect(printed.mock.calls).toEqual([['a warning'], ['path /devtools/browser/1']]);
});
