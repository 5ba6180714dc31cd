import type { JSX } from 'preact';
import { Card } from './frame.js';

const HEIGHT = 64;
const BAR = 14;

export interface Bar {
  /** The label of the bar: the number of a step. */
  readonly n: string;
  readonly low: number;
  readonly high: number;
}

/** Draws two stacked amounts for each step. A table has the numbers for people who cannot see the bars. */
export function BarChart({
  title,
  bars,
  low,
  high,
  format = String,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** The meaning of the lower part of a bar. `high` is that of the upper part. */
  readonly low: string;
  readonly high: string;
  readonly format?: (amount: number) => string;
}): JSX.Element | null {
  const most = Math.max(...bars.map((bar) => bar.low + bar.high), 0);
  if (most === 0) return null;
  const px = (amount: number): number => (amount / most) * HEIGHT;
  return (
    <Card title={title}>
      <svg
        class="chart"
        viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`}
        width={bars.length * BAR}
        height={HEIGHT}
        aria-hidden="true"
      >
        {bars.map((bar, index) => (
          <g key={bar.n}>
            <rect class="low" x={index * BAR + 2} width={BAR - 4} y={HEIGHT - px(bar.low)} height={px(bar.low)} />
            <rect
              class="high"
              x={index * BAR + 2}
              width={BAR - 4}
              y={HEIGHT - px(bar.low) - px(bar.high)}
              height={px(bar.high)}
            />
          </g>
        ))}
      </svg>
      <p class="legend s-dim">
        <span class="low" /> {low} {format(sum(bars, 'low'))} <span class="high" /> {high} {format(sum(bars, 'high'))}
      </p>
      <table class="unseen">
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.n}>
              <th scope="row">{bar.n}</th>
              <td>
                {format(bar.low)} {low}
              </td>
              <td>
                {format(bar.high)} {high}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function sum(bars: readonly Bar[], part: 'low' | 'high'): number {
  return bars.reduce((total, bar) => total + bar[part], 0);
}
