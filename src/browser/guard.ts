import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Protocol } from 'devtools-protocol';
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
 * The CSP of every document: all flags of `sandbox` (HTML, 7.1.5) except those that allow windows, dialogs
 * and downloads.
 */
const sandbox = 'sandbox allow-forms allow-pointer-lock allow-same-origin allow-scripts';

/**
 * Additional CSP where the reach is restricted. It forbids WebSockets, because the `Fetch` domain does not
 * report them, and workers from the network, because this policy would not apply to them.
 */
const httpOnly = 'connect-src http: https: data: blob:; worker-src blob: data:';

/**
 * Removes the interfaces that open connections outside of HTTP or outlive the page, and that CSP cannot
 * forbid. They are overwritten and not deleted: in a paused worker Chrome defines some of them only after
 * this script has run.
 */
const withoutSockets = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport',
  'SharedWorker']) Object.defineProperty(globalThis, name, { value: undefined });`;

/**
 * Features by which Chrome itself requests a URL that the page chooses, without announcing the request to
 * the guard: payment manifests, identity providers, related origins of passkeys, advertising and storage
 * worklets.
 */
const withoutChromesOwnRequests = [
  'attribution-reporting',
  'browsing-topics',
  'digital-credentials-get',
  'identity-credentials-get',
  'join-ad-interest-group',
  'otp-credentials',
  'payment',
  'private-aggregation',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'run-ad-auction',
  'shared-storage',
  'shared-storage-select-url',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * The URLs of a request and its redirects, and how many of them have been answered. Chrome may announce a
 * redirect before it reports the response that caused it, so responses are matched by their order.
 */
interface Hops {
  urls: string[];
  answers: number;
}

/**
 * Media types that Chrome never parses as HTML. They need no policy, and their bodies may be too large to
 * buffer. Chrome sniffs documents of almost any other type for HTML, so all others get the policy.
 */
const neverHtml =
  /^(?:(?:audio|video)\/[\w.+-]+|image\/(?:avif|gif|jpeg|png|webp)|application\/(?:octet-stream|pdf|zip))\s*(?:;[^,]*)?$/i;

/** A signed exchange contains the response of another server, which Chrome would show without the policy. */
const signedExchange = /^\s*application\/signed-exchange/i;

/**
 * Guards a page's access to the network. Every request of the page, its frames and their workers, redirects
 * included, is checked before it is sent. Every document gets a CSP that forbids windows and downloads.
 */
export async function guard(page: Page, reach: Reach, html?: string): Promise<Guard> {
  const state: { refusal: string | undefined } = { refusal: undefined };
  const policy = reach.restricted ? `${sandbox}; ${httpOnly}` : sandbox;

  const onPaused = async (session: CDPSession, event: Protocol.Fetch.RequestPausedEvent) => {
    const { requestId, request, resourceType, frameId } = event;
    if (event.responseErrorReason) return session.send('Fetch.continueRequest', { requestId });
    if (event.responseStatusCode) return withPolicy(session, event, policy);
    if (html !== undefined && request.url === ownDocument && resourceType === 'Document') {
      const type = { name: 'Content-Type', value: 'text/html; charset=utf-8' };
      const body = Buffer.from(html).toString('base64');
      return answer(session, requestId, 200, [type], body, policy);
    }
    const refusal = await reach.refusal(request.url).catch((error: Error) => error.message);
    if (!refusal) return session.send('Fetch.continueRequest', { requestId });
    if (resourceType === 'Document' && frameId === page.frameId) state.refusal ??= refusal;
    return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  };

  const asked = new Map<string, Hops>();
  const asks = (id: string, url: string) => {
    const hops = asked.get(id) ?? { urls: [], answers: 0 };
    hops.urls.push(url);
    asked.set(id, hops);
  };

  const restrict = async (session: CDPSession) => {
    // Recorded when the request is paused, since `Network.requestWillBeSent` may come after the response.
    session.on('Fetch.requestPaused', (event) => {
      const { networkId, request, responseStatusCode, responseErrorReason } = event;
      if (networkId && !responseStatusCode && !responseErrorReason) asks(networkId, request.url);
    });
    session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
      if (type === 'Preflight') asks(requestId, request.url); // the only requests that are never paused
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, resourceIPAddressSpace }) => {
      // The host may have resolved to another address when the request was checked (DNS rebinding).
      const hops = asked.get(requestId);
      const url = hops?.urls[Math.min(hops.answers++, hops.urls.length - 1)];
      state.refusal ??= reach.connectionRefusal(url, resourceIPAddressSpace);
    });
    await Promise.all([
      session.send('Network.enable'),
      // Responses from the cache cause no event and would be missing in the count.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
      // The first call covers documents. The second covers workers, which are paused before their script runs.
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: withoutSockets }),
      session.send('Runtime.evaluate', { expression: withoutSockets }),
    ]);
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
    const patterns = [
      { urlPattern: '*' },
      { resourceType: 'Document', requestStage: 'Response' } as const,
    ];
    const attached = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
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

/** Statuses with which Chrome follows a `Location` header. With any other status it shows the body. */
const isRedirect = new Set([301, 302, 303, 307, 308]);

/**
 * Continues a document's response with the policy. Chrome applies a changed header only to a fulfilled request.
 */
async function withPolicy(
  session: CDPSession,
  {
    requestId,
    responseStatusCode: status,
    responseHeaders = [],
  }: Protocol.Fetch.RequestPausedEvent,
  policy: string,
): Promise<void> {
  const valuesOf = (name: string) =>
    responseHeaders.filter((each) => each.name.toLowerCase() === name).map(({ value }) => value);
  if (isRedirect.has(status!) && valuesOf('location').some(Boolean)) {
    return session.send('Fetch.continueResponse', { requestId });
  }
  const types = valuesOf('content-type');
  const saved = valuesOf('content-disposition').some((value) => /^\s*attachment/i.test(value));
  if (saved || types.some((type) => signedExchange.test(type))) {
    return session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  }
  if (types.length === 1 && neverHtml.test(types[0]!)) {
    return session.send('Fetch.continueResponse', { requestId });
  }
  const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId });
  const bytes = base64Encoded ? body : Buffer.from(body).toString('base64');
  return answer(session, requestId, status!, responseHeaders, bytes, policy);
}

/** @param body in base64 */
function answer(
  session: CDPSession,
  requestId: string,
  responseCode: number,
  headers: Protocol.Fetch.HeaderEntry[],
  body: string,
  policy: string,
): Promise<void> {
  // The body is already decompressed, so these headers no longer describe it.
  const kept = headers.filter(({ name }) => !/^content-(?:encoding|length)$/i.test(name));
  const responseHeaders = [
    ...kept,
    { name: 'Content-Security-Policy', value: policy },
    // The last value of a feature counts (RFC 9651, 3.2).
    { name: 'Permissions-Policy', value: withoutChromesOwnRequests },
  ];
  return session.send('Fetch.fulfillRequest', { requestId, responseCode, responseHeaders, body });
}
