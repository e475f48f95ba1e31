import { Settings } from 'luxon';

const often = 256;
let calls = 0;

/**
 * Now and then makes Luxon forget the time zones that it met. It keeps 100 kB for each spelling of a
 * name, of which there are millions: `europe/BERLIN` is one.
 */
export function forgetZones() {
  calls += 1;
  if (calls % often === 0) Settings.resetCaches();
}
