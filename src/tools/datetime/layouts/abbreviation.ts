import { offsetText, type ZonedTime } from '../zoned-time.ts';

/** Regions whose English (and Japanese) knows the abbreviations of zones near them; ICU has no one list. */
const locales = ['US', 'GB', 'CA', 'AU', 'IN', 'ZA', 'HK', 'ID', 'GU']
  .map((region) => `en-${region}`)
  .concat('ja');

/** By moment, since a layout may ask for it a hundred times. */
const known = new WeakMap<ZonedTime, string>();

/** `UTC`, `EST`, `CEST`; for a zone without an abbreviation its offset (`+0545`), as Go does. */
export function abbreviation(time: ZonedTime): string {
  const name = known.get(time) ?? inSomeLocale(time) ?? offsetText(time, '');
  known.set(time, name);
  return name;
}

function inSomeLocale({ date }: ZonedTime): string | undefined {
  if (date.zone.isUniversal) return date.zoneName === 'UTC' ? 'UTC' : undefined;
  for (const locale of locales) {
    const name = date.zone.offsetName(date.toMillis(), { format: 'short', locale });
    if (name && /^[A-Za-z]+$/.test(name) && (name !== 'GMT' || date.offset === 0)) return name;
  }
  return undefined;
}
