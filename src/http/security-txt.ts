import { ServiceError } from '../errors.ts';
import { originOf } from '../origin.ts';
import type { AppContext } from './answer.ts';

/** Milliseconds for which a copy of the file may be relied on; RFC 9116 recommends less than a year. */
const validForMs = 30 * 24 * 60 * 60_000;

/** `/.well-known/security.txt` (RFC 9116): to whom a vulnerability is reported, by SECURITY_CONTACT. */
export function securityTxt(c: AppContext): Response {
  const contact = c.env.SECURITY_CONTACT;
  if (!contact) throw new ServiceError('not_found', 'the operator has set no SECURITY_CONTACT');
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(Date.now() + validForMs).toISOString()}`,
    `Canonical: ${new URL('/.well-known/security.txt', originOf(c.env, c.req.url)).href}`,
    'Preferred-Languages: en',
  ];
  return c.text(`${lines.join('\n')}\n`);
}
