import type { Measured } from './child.ts';
import type { Recipe } from './recipes.ts';
import { lightTools, type Field } from './fields.ts';

/** Processor time in which a call has to be done: of those that run beside everybody's, and of the others. */
export const limitMs = { light: 50, heavy: 4000 };

export const limitOf = ({ tool }: Field) => (lightTools.has(tool) ? limitMs.light : limitMs.heavy);

/** Below it, time says more of the machine than of the tool. */
const noiseMs = 20;
/** From the growth over so many doublings of the size. */
const doublings = 2;
/** Time grows with this power of the size at most; n log n shows as 1.1, and a cache that overflows as 1.3. */
const steepest = 1.45;

interface Point extends Measured {
  size: number;
}

/**
 * What is wrong with the last of a series of calls, each twice as large as the one before: it took too
 * long, or time grows in a manner by which the largest that the tool takes would.
 */
export function fault(points: Point[], field: Field): string | undefined {
  const last = points.at(-1)!;
  if (!/^(?:ok|\d+)$/.test(last.outcome)) return last.outcome;
  if (last.ms > limitOf(field)) return `takes more than ${limitOf(field)} ms`;
  if (field.bearable) return undefined;
  const slope = slopeOf(points);
  const expected = last.ms * (field.limit / last.size) ** slope;
  const grows = slope > steepest && expected > limitOf(field);
  return grows ? `grows with the power ${slope.toFixed(2)} of its size` : undefined;
}

/** The power of the size with which time has grown lately. */
function slopeOf(points: Point[]): number {
  const [last, before] = [points.at(-1)!, points.at(-1 - doublings)];
  if (!before || !telling(last.ms)) return 0;
  const time = Math.max(last.ms, noiseMs) / Math.max(before.ms, noiseMs);
  return Math.log(time) / Math.log(last.size / before.size);
}

/** Where time shows how it grows: it would be noise so many doublings before, if it grew with the square. */
export const telling = (ms: number) => ms >= noiseMs * 2 ** (2 * doublings);

export interface Case {
  field: Field;
  recipe: Recipe;
}

export interface Result extends Case {
  points: Point[];
  fault?: string | undefined;
}

const smallest = 1024;

/** The sizes of a series: doubled up to the limit. */
function sizesOf({ limit, bearable = limit }: Field): number[] {
  const sizes: number[] = [bearable];
  while (sizes[0]! / 2 >= smallest) sizes.unshift(Math.floor(sizes[0]! / 2));
  return sizes;
}

/** Calls with ever larger texts, until one is at fault, or time enough has been spent. */
export async function follow(
  given: Case,
  measure: (given: Case, size: number) => Promise<Measured>,
  toTheEnd: boolean,
): Promise<Result> {
  const points: Point[] = [];
  for (const size of sizesOf(given.field)) {
    points.push({ size, ...(await measure(given, size)) });
    if (fault(points, given.field)) {
      // Once more, since others use the machine too; the smaller ones first, which may have been lucky.
      const again = points.slice(-1 - doublings);
      for (const point of again) Object.assign(point, await measure(given, point.size));
      const found = fault(points, given.field);
      if (found) return { ...given, points, fault: found };
    }
    if (!toTheEnd && telling(points.at(-1)!.ms)) break;
  }
  return { ...given, points };
}
