import { Settings } from 'luxon';

const often = 256;
let calls = 0;

/**
 * Clears Luxon's cache of time zones once in a while. Luxon caches 100 kB for each spelling of a name, and a
 * caller can send millions of spellings, such as `europe/BERLIN`.
 */
export function forgetZones() {
  calls += 1;
  if (calls % often === 0) Settings.resetCaches();
}
