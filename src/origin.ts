import type { ErrorCode } from './errors.ts';

/**
 * Returns the origin of the service: that of SERVICE_URL, or if it is not set that of a request. The client
 * chooses the `Host` of its request, so only the answer to the same request may depend on it.
 */
export function originOf({ SERVICE_URL }: Pick<Env, 'SERVICE_URL'>, url: string): string {
  return new URL(SERVICE_URL || url).origin;
}

/** Matches host names without punycode, and 127.0.0.1. Such URLs always parse, which saves parsing them. */
const usualHost =
  /^(?=.{1,260}$)(?:127\.0\.0\.1|(?!xn--)[a-z][a-z\d-]*(?:\.(?!xn--)[a-z][a-z\d-]*)*)(?::[1-5]?\d{1,4})?$/i;
/** Matches a host name (RFC 9110, 4.2.1) or an address, with an optional port. */
const anyHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Whether the host of a request is valid. The client may send anything as `Host`, even a path, from which the
 * runtime builds the request's URL. A call by a service binding may have no `Host`.
 */
export function hasHost({ url, headers }: Request): boolean {
  const host = headers.get('host') ?? url.split('/', 3)[2]!;
  return usualHost.test(host) || (anyHost.test(host) && URL.canParse(url));
}

/** Returns the 400 for a request with an invalid `Host`. */
export const refuseHost = (): Response =>
  Response.json(
    {
      message: 'Host: must be a host name or an IP address, with an optional port',
      code: 'invalid_request' satisfies ErrorCode,
    },
    { status: 400, headers: { 'X-Request-Id': crypto.randomUUID() } },
  );
