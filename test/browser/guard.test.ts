import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { guard } from '../../src/browser/guard.ts';
import { reachOf } from '../../src/browser/reach.ts';

/** A fake page whose events the test fires, because a real browser chooses their order itself. */
async function guardedPage() {
  const session = Object.assign(new EventEmitter(), { send: async () => ({}) });
  const page = { session: session as unknown as CDPSession, frameId: 'F', close: async () => {} };
  const reach = reachOf('mine.test', { resolve: async () => [] });
  const guarded = await guard(page, reach);
  const asks = (url: string) =>
    session.emit('Fetch.requestPaused', { requestId: 'i', networkId: '1', request: { url } });
  const answers = (resourceIPAddressSpace: string) =>
    session.emit('Network.responseReceivedExtraInfo', { requestId: '1', resourceIPAddressSpace });
  return { guarded, asks, answers };
}

describe('a redirect of an excepted host', () => {
  it('is attributed to the excepted host, in either order of events', async () => {
    const first = await guardedPage();
    first.asks('http://mine.test/');
    first.answers('Loopback');
    first.asks('http://other.test/');
    expect(first.guarded.refusal).toBeUndefined();

    const second = await guardedPage();
    second.asks('http://mine.test/');
    second.asks('http://other.test/');
    second.answers('Loopback');
    expect(second.guarded.refusal).toBeUndefined();
  });

  it('does not extend the exception to its target', async () => {
    const { guarded, asks, answers } = await guardedPage();
    asks('http://mine.test/');
    asks('http://other.test/');
    answers('Loopback');
    answers('Loopback');
    expect(guarded.refusal).toContain('other.test');
  });

  it('may have two responses, as with HTTP authentication', async () => {
    const { guarded, asks, answers } = await guardedPage();
    asks('http://mine.test/');
    answers('Loopback');
    answers('Loopback');
    expect(guarded.refusal).toBeUndefined();
  });
});
