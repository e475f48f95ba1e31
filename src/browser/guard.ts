import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Protocol } from 'devtools-protocol';
import type { Page } from './page.ts';
import type { Reach } from './reach.ts';

/** What the guard has seen. */
export interface Guard {
  /** Why the page itself may not be shown, as soon as that is known. */
  readonly refusal: string | undefined;
}

/** Where a document stands that came as `html` and not from anywhere (RFC 2606 keeps the name free). */
export const ownDocument = 'http://html.invalid/';

/**
 * Everything a document may do but open windows, dialogs and downloads: the flags of CSP's `sandbox`
 * (HTML, 7.1.5) without the ones for those.
 */
const sandbox = 'sandbox allow-forms allow-pointer-lock allow-same-origin allow-scripts';

/**
 * Beside that, where not everything may be reached: no sockets past HTTP, since nobody tells us of
 * them, and no workers from the network, which would not be under this policy.
 */
const httpOnly = 'connect-src http: https: data: blob:; worker-src blob: data:';

/**
 * What else reaches past HTTP, or outlives the page, in documents and workers; no policy forbids these.
 * Fixed and not deleted, since Chrome defines some of them after a waiting worker has run this.
 */
const withoutSockets = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport',
  'SharedWorker']) Object.defineProperty(globalThis, name, { value: undefined });`;

/**
 * What makes Chrome itself ask for an URL that the page chooses, past every request that we are told of:
 * payment manifests, identity providers, related origins of passkeys, advertising and storage worklets.
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
 * A request and where it was redirected to, with how many of these have answered: the next one may be
 * announced before we hear who answered the last.
 */
interface Hops {
  urls: string[];
  answers: number;
}

/**
 * Types that Chrome shows without scripts, or saves, and whose bodies may be too long to wait for. A
 * document of almost any other type is HTML to Chrome if it looks like HTML, so that it gets the policy.
 */
const neverHtml =
  /^(?:(?:audio|video)\/[\w.+-]+|image\/(?:avif|gif|jpeg|png|webp)|application\/(?:octet-stream|pdf|zip))\s*(?:;[^,]*)?$/i;

/** A file in which another server's answer is packed; Chrome shows that one without our policy. */
const signedExchange = /^\s*application\/signed-exchange/i;

/**
 * Stands between a page and the network: every request of it, its frames and their workers is looked at
 * before it is sent (redirects too), and every document gets a policy that keeps it in its window.
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
    // What is paused has not gone out; that it was asked for we may hear after it has been answered.
    session.on('Fetch.requestPaused', (event) => {
      const { networkId, request, responseStatusCode, responseErrorReason } = event;
      if (networkId && !responseStatusCode && !responseErrorReason) asks(networkId, request.url);
    });
    session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
      if (type === 'Preflight') asks(requestId, request.url); // the only one that is never paused
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, resourceIPAddressSpace }) => {
      // A name may have had another address when it was looked up (DNS rebinding).
      const hops = asked.get(requestId);
      const url = hops?.urls[Math.min(hops.answers++, hops.urls.length - 1)];
      state.refusal ??= reach.connectionRefusal(url, resourceIPAddressSpace);
    });
    await Promise.all([
      session.send('Network.enable'),
      // An answer from the cache is not told of, and would be missing in the count.
      session.send('Network.setCacheDisabled', { cacheDisabled: true }),
      // Documents take the first one, workers the second: they wait for us before their script runs.
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: withoutSockets }),
      session.send('Runtime.evaluate', { expression: withoutSockets }),
    ]);
  };

  const watch = async (session: CDPSession) => {
    session.on('Fetch.requestPaused', (event) => {
      const { requestId } = event;
      // What cannot be looked at does not go out.
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
    // Workers have less to be told: the frame that they belong to hears of what they ask for.
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

/** Where these have a Location, Chrome follows it; it shows the body of any other answer. */
const isRedirect = new Set([301, 302, 303, 307, 308]);

/** Lets a document through, under the policy. Chrome heeds a new header only with a body from us. */
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
  // The body is no longer packed as these headers say.
  const kept = headers.filter(({ name }) => !/^content-(?:encoding|length)$/i.test(name));
  const responseHeaders = [
    ...kept,
    { name: 'Content-Security-Policy', value: policy },
    // The last value of a feature counts (RFC 9651, 3.2).
    { name: 'Permissions-Policy', value: withoutChromesOwnRequests },
  ];
  return session.send('Fetch.fulfillRequest', { requestId, responseCode, responseHeaders, body });
}
