import type { UsageRow } from '../account/account.ts';

/** Number of tools with a colour of their own. All other tools share one colour. */
const maxColouredTools = 5;
const other = 'other';
/** Size of the drawing in SVG units. */
const [width, height] = [720, 220];
const plot = { left: 52, right: 20, top: 14, bottom: 26 };

/** Draws credits by day and tool as stacked bars with a legend. `days` are sorted `YYYY-MM-DD`. */
export function UsageChart({ days, usage }: { days: string[]; usage: UsageRow[] }) {
  const series = seriesOf(usage);
  const bars = days.map((day) => stack(day, usage, series));
  const top = roundedUp(Math.max(...bars.map((bar) => bar.at(-1)?.to ?? 0), 1));
  const plotHeight = height - plot.top - plot.bottom;
  const y = (credits: number) => plot.top + plotHeight * (1 - credits / top);
  const step = (width - plot.left - plot.right) / days.length;
  return (
    <figure>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby="chart-title">
        <title id="chart-title">
          {`Credits a day from ${days[0]} to ${days.at(-1)}; the table below has the figures`}
        </title>
        {[0, top / 2, top].map((credits) => (
          <g class="grid">
            <line x1={plot.left} x2={width} y1={y(credits)} y2={y(credits)} />
            <text x={plot.left - 8} y={y(credits) + 4} text-anchor="end">
              {short.format(credits)}
            </text>
          </g>
        ))}
        {bars.map((bar, i) =>
          bar.map(({ tool, from, to }) => (
            <rect
              class={`series-${series.indexOf(tool)}`}
              x={plot.left + step * i + step * 0.1}
              width={step * 0.8}
              y={y(to)}
              height={y(from) - y(to)}
            >
              <title>{`${days[i]} ${tool}: ${to - from}`}</title>
            </rect>
          )),
        )}
        {days.map((day, i) =>
          (days.length - 1 - i) % 7 === 0 ? (
            <text x={plot.left + step * (i + 0.5)} y={height - 6} text-anchor="middle">
              {day.slice(5)}
            </text>
          ) : null,
        )}
      </svg>
      <figcaption>
        {series.map((tool, i) => (
          <span>
            <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">
              <rect class={`series-${i}`} width="1" height="1" />
            </svg>
            {tool}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const short = new Intl.NumberFormat('en', { notation: 'compact' });

/** Returns the tools with the most credits in descending order, and `other` for the rest. */
function seriesOf(usage: UsageRow[]): string[] {
  const totals = new Map<string, number>();
  for (const { tool, credits } of usage) totals.set(tool, (totals.get(tool) ?? 0) + credits);
  const tools = [...totals].toSorted(([, a], [, b]) => b - a).map(([tool]) => tool);
  if (tools.length <= maxColouredTools) return tools;
  return [...tools.slice(0, maxColouredTools), other];
}

/** Returns the segments of one day's bar from bottom to top, in credits. */
function stack(day: string, usage: UsageRow[], series: string[]) {
  let from = 0;
  return series.flatMap((tool) => {
    const credits = usage
      .filter((row) => row.day === day && (series.includes(row.tool) ? row.tool : other) === tool)
      .reduce((sum, row) => sum + row.credits, 0);
    if (credits === 0) return [];
    const part = { tool, from, to: from + credits };
    from = part.to;
    return [part];
  });
}

/** Rounds up to one of 2, 4, 10, 20, 40, 100 …, whose half is a whole number for the middle grid line. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 10].map((step) => Math.max(2, step * power)).find((top) => top >= value)!;
}
