import type { ErrorCode } from './errors.ts';

/**
 * Scheme and host at which the service is reached: SERVICE_URL if it is set, else those of a request.
 * Whoever sends a request chooses its `Host`, so only the answer to that request may depend on it.
 */
export function originOf({ SERVICE_URL }: Pick<Env, 'SERVICE_URL'>, url: string): string {
  return new URL(SERVICE_URL || url).origin;
}

/** Names without punycode and this machine, whose URLs always parse: told without parsing a URL. */
const usualHost =
  /^(?=.{1,260}$)(?:127\.0\.0\.1|(?!xn--)[a-z][a-z\d-]*(?:\.(?!xn--)[a-z][a-z\d-]*)*)(?::[1-5]?\d{1,4})?$/i;
/** A name of RFC 9110, section 4.2.1, or an address, and a port. */
const anyHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Whether the host of a request is one. The client chooses it, and may send anything as `Host`, also a path:
 * the runtime puts the request's URL together from both. A call by a service binding may have none.
 */
export function hasHost({ url, headers }: Request): boolean {
  const host = headers.get('host') ?? url.split('/', 3)[2]!;
  return usualHost.test(host) || (anyHost.test(host) && URL.canParse(url));
}

/** The answer to a request without a host, which no URL can be made for. */
export const refuseHost = (): Response =>
  Response.json(
    {
      message: 'Host: must be a host name or an IP address, with a port or without',
      code: 'invalid_request' satisfies ErrorCode,
    },
    { status: 400, headers: { 'X-Request-Id': crypto.randomUUID() } },
  );
