import type { CDPSession } from '@cloudflare/puppeteer/internal/api/CDPSession.js';
import type { Protocol } from 'devtools-protocol';

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

/** Returns the CSP of the documents of a page. @param restricted whether they may reach public addresses only */
export const contentSecurityPolicy = (restricted: boolean): string =>
  restricted ? `${sandbox}; ${httpOnly}` : sandbox;

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
 * Media types that Chrome never parses as HTML. They need no policy, and their bodies may be too large to
 * buffer. Chrome sniffs documents of almost any other type for HTML, so all others get the policy.
 */
const neverHtml =
  /^(?:(?:audio|video)\/[\w.+-]+|image\/(?:avif|gif|jpeg|png|webp)|application\/(?:octet-stream|pdf|zip))\s*(?:;[^,]*)?$/i;

/** A signed exchange contains the response of another server, which Chrome would show without the policy. */
const signedExchange = /^\s*application\/signed-exchange/i;

/** Statuses with which Chrome follows a `Location` header. With any other status it shows the body. */
const isRedirect = new Set([301, 302, 303, 307, 308]);

/**
 * Continues a document's response with the policy. Chrome applies a changed header only to a fulfilled request.
 */
export async function continueWithPolicy(
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
  return fulfillWithPolicy(session, requestId, status!, responseHeaders, bytes, policy);
}

/** Answers a paused request with a response that has the policy. @param body in base64 */
export function fulfillWithPolicy(
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
