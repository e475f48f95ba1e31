import { median } from './load.ts';

/** Measurements of the service and of a peer, taken alternately. */
interface Comparison {
  what: string;
  unit: string;
  ours: number[];
  peer: string;
  theirs: number[];
  /** The desired ratio of ours to theirs. */
  wanted: string;
}

/** A comparison as cells of the table in README.md: medians, and in parentheses the minimum and maximum. */
export type Row = Record<'what' | 'ours' | 'peer' | 'theirs' | 'ratio' | 'wanted', string>;

/** Prints a comparison, and sends it to bench/run.ts. */
export function compared({ what, unit, ours, peer, theirs, wanted }: Comparison): void {
  const ratios = ours.map((value, round) => value / theirs[round]!);
  const row: Row = {
    what,
    ours: `${spread(ours)} ${unit}`,
    peer,
    theirs: `${spread(theirs)} ${unit}`,
    ratio: spread(ratios),
    wanted,
  };
  console.log(`${what}: ${row.ours}, ${peer} ${row.theirs}: ${row.ratio}, wanted ${wanted}`);
  process.send?.(row);
}

function spread(values: number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least === most) return short(least);
  return `${short(median(values))} (${short(least)}–${short(most)})`;
}

/** Formats a number with three significant digits; a number of 100 or more as an integer. */
const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
