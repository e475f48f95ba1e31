import { nearest } from '../shared/nearest.ts';

/**
 * Hours from UTC of the abbreviations that RFC 2822 (section 4.3) defines. All other abbreviations are
 * ambiguous: BST is British, Bougainville and Bangladesh time.
 */
const rfc2822: Record<string, number> = {
  UTC: 0,
  GMT: 0,
  UT: 0,
  Z: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};

/** Returns the hours from UTC of an abbreviation that RFC 2822 defines; undefined for all others. */
export const abbreviationHours = (name: string): number | undefined => rfc2822[name.toUpperCase()];

/** The IANA zones of three letters. ICU accepts 25 more, which are not in the IANA database. */
const threeLetters = /^(?:CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i;

/** Zones that use an abbreviation, those with the most people first. */
const users: Record<string, string> = {
  ACDT: 'Australia/Adelaide',
  ACST: 'Australia/Adelaide, Australia/Darwin',
  ADT: 'America/Halifax, Atlantic/Bermuda',
  AEDT: 'Australia/Sydney, Australia/Melbourne',
  AEST: 'Australia/Sydney, Australia/Brisbane',
  AKDT: 'America/Anchorage',
  AKST: 'America/Anchorage',
  AMT: 'America/Manaus, Asia/Yerevan',
  ART: 'America/Argentina/Buenos_Aires',
  AST: 'America/Puerto_Rico, America/Halifax, Asia/Riyadh',
  AWST: 'Australia/Perth',
  BRT: 'America/Sao_Paulo',
  BST: 'Europe/London, Asia/Dhaka, Pacific/Bougainville',
  CAT: 'Africa/Maputo, Africa/Khartoum',
  CEST: 'Europe/Berlin, Europe/Paris, Europe/Madrid',
  CET: 'Europe/Berlin, Europe/Paris, Africa/Algiers',
  CHST: 'Pacific/Guam',
  CT: 'America/Chicago',
  EAT: 'Africa/Nairobi',
  ECT: 'America/Guayaquil, Europe/Paris',
  EEST: 'Europe/Kyiv, Europe/Athens, Africa/Cairo',
  EET: 'Europe/Kyiv, Europe/Athens, Africa/Cairo',
  ET: 'America/New_York',
  GST: 'Asia/Dubai',
  HDT: 'America/Adak',
  HKT: 'Asia/Hong_Kong',
  HST: 'Pacific/Honolulu',
  ICT: 'Asia/Bangkok, Asia/Ho_Chi_Minh',
  IDT: 'Asia/Jerusalem',
  IST: 'Asia/Kolkata, Asia/Jerusalem, Europe/Dublin',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MEST: 'Europe/Berlin, Europe/Paris, Europe/Madrid',
  MESZ: 'Europe/Berlin, Europe/Vienna, Europe/Zurich',
  MET: 'Europe/Berlin, Europe/Paris, Europe/Madrid',
  MEZ: 'Europe/Berlin, Europe/Vienna, Europe/Zurich',
  MSK: 'Europe/Moscow',
  MYT: 'Asia/Kuala_Lumpur',
  MT: 'America/Denver',
  NDT: 'America/St_Johns',
  NST: 'America/St_Johns',
  NPT: 'Asia/Kathmandu',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PHT: 'Asia/Manila',
  PKT: 'Asia/Karachi',
  PT: 'America/Los_Angeles',
  SAST: 'Africa/Johannesburg',
  SGT: 'Asia/Singapore',
  SST: 'Pacific/Pago_Pago, Asia/Singapore',
  TRT: 'Europe/Istanbul',
  WAT: 'Africa/Lagos',
  WEST: 'Europe/Lisbon, Atlantic/Canary',
  WET: 'Europe/Lisbon, Atlantic/Canary',
  WIB: 'Asia/Jakarta',
  WIT: 'Asia/Jayapura',
  WITA: 'Asia/Makassar',
};

/** Whether a name is an ambiguous abbreviation. */
export const isAbbreviation = (name: string): boolean => name.toUpperCase() in users;

/**
 * Returns the name by which Intl knows a time zone; undefined for an unknown name. Known are IANA zones and
 * the abbreviations that RFC 2822 defines.
 */
export function timeZone(name: string): string | undefined {
  const hours = abbreviationHours(name);
  // Etc/GMT+5 is west of Greenwich, because POSIX reverses the sign.
  if (hours !== undefined) return hours === 0 ? 'UTC' : `Etc/GMT+${-hours}`;
  if (/^[+-]|^SystemV\/|^Etc\/Unknown$/i.test(name)) return undefined;
  if (name.length === 3 && !threeLetters.test(name)) return undefined;
  try {
    const { timeZone: canonical } = new Intl.DateTimeFormat('en', {
      timeZone: name,
    }).resolvedOptions();
    // ICU may return an older name of the zone, such as Asia/Calcutta.
    return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
  } catch {
    return undefined;
  }
}

/** Returns the error message for a name that is not a time zone, with the zones that may be meant. */
export function timeZoneFault(name: string): string {
  const abbreviated = users[name.toUpperCase()];
  if (abbreviated) {
    return `"${name}" is an abbreviation with no agreed meaning; use an IANA time zone such as ${abbreviated}`;
  }
  const candidates = zonesOfCity(name).join(', ');
  if (candidates) return `"${name}" is not an IANA time zone; did you mean ${candidates}?`;
  const similar = name.includes('/')
    ? nearest(name, Intl.supportedValuesOf('timeZone'))
    : undefined;
  if (similar) return `"${name}" is not an IANA time zone; did you mean ${similar}?`;
  const kind = /^(?:UTC|GMT)?[+-]/i.test(name) ? 'an offset, not an IANA' : 'not an IANA';
  return `"${name}" is ${kind} time zone; use a name such as Europe/Berlin or UTC`;
}

/** Returns the zones that end with the name of a city, such as `Berlin` or `new york`. */
function zonesOfCity(name: string): string[] {
  const end = `/${name.trim().replace(/\s+/g, '_').toLowerCase()}`;
  return Intl.supportedValuesOf('timeZone').filter((zone) => zone.toLowerCase().endsWith(end));
}
