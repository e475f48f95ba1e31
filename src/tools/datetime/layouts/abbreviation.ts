import { offsetText, type ZonedTime } from '../zoned-time.ts';

/** Locales in which ICU knows the abbreviations of nearby zones. No single locale knows all of them. */
const locales = ['US', 'GB', 'CA', 'AU', 'IN', 'ZA', 'HK', 'ID', 'GU']
  .map((region) => `en-${region}`)
  .concat('ja');

/** Abbreviations by moment. A cache, because a layout may use the abbreviation a hundred times. */
const known = new WeakMap<ZonedTime, string>();

/**
 * Returns the abbreviation of the zone (`UTC`, `EST`, `CEST`); if there is none, the offset (`+0545`), as in
 * Go.
 */
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
