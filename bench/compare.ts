import { median } from './load.ts';

/** What was measured on our side, and in turns on a peer's. */
interface Comparison {
  what: string;
  unit: string;
  ours: number[];
  peer: string;
  theirs: number[];
  /** What the ratio, ours to theirs, ought to be. */
  wanted: string;
}

/** The same as cells of the table in README.md: medians, and in parentheses the least and the most. */
export type Row = Record<'what' | 'ours' | 'peer' | 'theirs' | 'ratio' | 'wanted', string>;

/** Prints a comparison, and gives it to `npm run bench`. */
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

/** Three digits that count, all of a large number's. */
const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
