import { IANAZone } from 'luxon';

/** Whether a name is an IANA time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}
