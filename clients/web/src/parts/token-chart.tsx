import type { Step } from '@aish/contracts/goals';
import type { JSX } from 'preact';
import { T } from '../texts.js';
import { Card } from './frame.js';

const HEIGHT = 64;
const BAR = 14;

/** What each step read anew and wrote. The numbers stand in a table for who does not see the bars. */
export function TokenChart({ steps }: { readonly steps: readonly Step[] }): JSX.Element | null {
  const bars = steps.map(({ n, usage }) => ({
    n,
    read: Math.max(0, (usage?.promptTokens ?? 0) - (usage?.cachedTokens ?? 0)),
    written: usage?.completionTokens ?? 0,
  }));
  const most = Math.max(1, ...bars.map(({ read, written }) => read + written));
  if (bars.every(({ read, written }) => read + written === 0)) return null;
  const px = (tokens: number): number => (tokens / most) * HEIGHT;
  return (
    <Card title={T.goal.tokens}>
      <svg
        class="chart"
        viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`}
        width={bars.length * BAR}
        height={HEIGHT}
        aria-hidden="true"
      >
        {bars.map(({ n, read, written }, index) => (
          <g key={n}>
            <rect class="read" x={index * BAR + 2} width={BAR - 4} y={HEIGHT - px(read)} height={px(read)} />
            <rect
              class="written"
              x={index * BAR + 2}
              width={BAR - 4}
              y={HEIGHT - px(read) - px(written)}
              height={px(written)}
            />
          </g>
        ))}
      </svg>
      <table class="unseen">
        <tbody>
          {bars.map(({ n, read, written }) => (
            <tr key={n}>
              <th scope="row">{n}</th>
              <td>
                {read} {T.goal.tokensRead}
              </td>
              <td>
                {written} {T.goal.tokensWritten}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
