import type { ErrorCode } from './errors.ts';

/**
 * Scheme and host at which the service is reached: SERVICE_URL if it is set, else those of a request.
 * Whoever sends a request chooses its `Host`, so only the answer to that request may depend on it.
 */
export function originOf({ SERVICE_URL }: Pick<Env, 'SERVICE_URL'>, url: string): string {
  return new URL(SERVICE_URL || url).origin;
}

/** Names without punycode, whose URLs always parse, and this machine: told without parsing a URL. */
const usualHost =
  /^https?:\/\/(?=[^/]{1,260}\/)(?:127\.0\.0\.1|(?!xn--)[a-z][a-z\d-]*(?:\.(?!xn--)[a-z][a-z\d-]*)*)(?::[1-5]?\d{1,4})?\//i;
/** A name of RFC 9110, section 4.2.1, or an address, and a port. */
const anyHost = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?\//i;

/** Whether the host of a request's URL is one. The client chooses it, and may send anything as `Host`. */
export const hasHost = (url: string): boolean =>
  usualHost.test(url) || (anyHost.test(url) && URL.canParse(url));

/** The answer to a request without a host, which no URL can be made for. */
export const refuseHost = (): Response =>
  Response.json(
    {
      message: 'Host: must be a host name or an IP address, with a port or without',
      code: 'invalid_request' satisfies ErrorCode,
    },
    { status: 400, headers: { 'X-Request-Id': crypto.randomUUID() } },
  );
