import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Protocol } from 'devtools-protocol';
import { contentSecurityPolicy, continueWithPolicy, fulfillWithPolicy } from './document-policy.ts';
import type { Page } from './page.ts';
import type { Reach } from './reach.ts';

/** The findings of the guard. */
export interface Guard {
  /** The reason why the page may not be shown; undefined as long as none is known. */
  readonly refusal: string | undefined;
}

/** The URL of a document that is given as `html`. RFC 2606 reserves the top-level domain `invalid`. */
export const ownDocument = 'http://html.invalid/';

/**
 * Removes the interfaces that open connections outside of HTTP or outlive the page, and that CSP cannot
 * forbid. They are overwritten and not deleted: in a paused worker Chrome defines some of them only after
 * this script has run.
 */
const withoutSockets = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport',
  'SharedWorker']) Object.defineProperty(globalThis, name, { value: undefined });`;

/**
 * Guards a page's access to the network. Every request of the page, its frames and their workers, redirects
 * included, is checked before it is sent. Every document gets a CSP that forbids windows and downloads.
 */
export async function guard(page: Page, reach: Reach, html?: string): Promise<Guard> {
  const state: { refusal: string | undefined } = { refusal: undefined };
  const policy = contentSecurityPolicy(reach.restricted);
  const sent = new Map<string, Hops>();

  const onPaused = async (session: CDPSession, event: Protocol.Fetch.RequestPausedEvent) => {
    const { requestId, request, resourceType, frameId } = event;
    if (event.responseErrorReason) return session.send('Fetch.continueRequest', { requestId });
    if (event.responseStatusCode) return continueWithPolicy(session, event, policy);
    if (html !== undefined && request.url === ownDocument && resourceType === 'Document') {
      const type = { name: 'Content-Type', value: 'text/html; charset=utf-8' };
      const body = Buffer.from(html).toString('base64');
      return fulfillWithPolicy(session, requestId, 200, [type], body, policy);
    }
    const refusal = await reach.refusal(request.url).catch((error: Error) => error.message);
    if (!refusal) return session.send('Fetch.continueRequest', { requestId });
    if (resourceType === 'Document' && frameId === page.frameId) state.refusal ??= refusal;
    return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  };

  const watch = async (session: CDPSession) => {
    session.on('Fetch.requestPaused', (event) => {
      const { requestId } = event;
      // A request whose check fails is not sent.
      const stop = () => session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
      onPaused(session, event)
        .catch(stop)
        .catch(() => {});
    });
    session.on('sessionattached', (child) => void watch(child).catch(() => {}));
    if (reach.restricted) {
      onConnection(session, sent, (url, addressSpace) => {
        state.refusal ??= reach.connectionRefusal(url, addressSpace);
      });
    }
    // Some of these commands fail in workers. Their requests are reported to the session of their frame.
    await Promise.allSettled([
      session.send('Fetch.enable', { patterns }),
      session.send('Target.setAutoAttach', attached),
      reach.restricted && restrict(session),
    ]);
    if (session !== page.session) await session.send('Runtime.runIfWaitingForDebugger');
  };

  await watch(page.session);
  return state;
}

/** All requests pause before they are sent, and documents also before their response is read. */
const patterns = [
  { urlPattern: '*' },
  { resourceType: 'Document', requestStage: 'Response' } as const,
];
const attached = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

/** Removes connections that the guard could not check from the page or worker of the session. */
function restrict(session: CDPSession): Promise<unknown> {
  return Promise.all([
    session.send('Network.enable'),
    // Responses from the cache cause no event, and {@link onConnection} would miss them in its count.
    session.send('Network.setCacheDisabled', { cacheDisabled: true }),
    // The first call covers documents. The second covers workers, which are paused before their script runs.
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: withoutSockets }),
    session.send('Runtime.evaluate', { expression: withoutSockets }),
  ]);
}

/**
 * The URLs of a request and its redirects, and how many of them have been answered. Chrome may announce a
 * redirect before it reports the response that caused it, so responses are matched by their order.
 */
interface Hops {
  urls: string[];
  answers: number;
}

/**
 * Calls back for each response, with the URL of its request and the kind of address that it came from. A host may
 * have resolved to another address when its URL was checked (DNS rebinding).
 *
 * @param sent the requests of the whole page, by CDP's request id
 */
function onConnection(
  session: CDPSession,
  sent: Map<string, Hops>,
  callback: (url: string | undefined, addressSpace: Protocol.Network.IPAddressSpace) => void,
): void {
  const note = (id: string, url: string) => {
    const hops = sent.get(id) ?? { urls: [], answers: 0 };
    hops.urls.push(url);
    sent.set(id, hops);
  };
  // Recorded when the request is paused, since `Network.requestWillBeSent` may come after the response.
  session.on('Fetch.requestPaused', (event) => {
    const { networkId, request, responseStatusCode, responseErrorReason } = event;
    if (networkId && !responseStatusCode && !responseErrorReason) note(networkId, request.url);
  });
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    if (type === 'Preflight') note(requestId, request.url); // the only requests that are never paused
  });
  session.on('Network.responseReceivedExtraInfo', ({ requestId, resourceIPAddressSpace }) => {
    const hops = sent.get(requestId);
    callback(hops?.urls[Math.min(hops.answers++, hops.urls.length - 1)], resourceIPAddressSpace);
  });
}
