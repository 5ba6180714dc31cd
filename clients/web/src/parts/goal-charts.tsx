import type { Action } from '@aish/contracts/actions';
import type { Step } from '@aish/contracts/goals';
import { formatSize } from '@aish/contracts/effect-lines';
import type { JSX } from 'preact';
import { T } from '../texts.js';
import { BarChart } from './bar-chart.js';

/** Shows the uncached input tokens and the output tokens of each step. */
export function TokenChart({ steps }: { readonly steps: readonly Step[] }): JSX.Element | null {
  const bars = steps.map(({ n, usage }) => ({
    n: String(n),
    low: Math.max(0, (usage?.promptTokens ?? 0) - (usage?.cachedTokens ?? 0)),
    high: usage?.completionTokens ?? 0,
  }));
  return <BarChart title={T.goal.tokens} bars={bars} low={T.goal.tokensRead} high={T.goal.tokensWritten} />;
}

/** Shows how much each command wrote to the workspace and deleted there, if that is known. */
export function DiskChart({ actions }: { readonly actions: readonly Action[] }): JSX.Element | null {
  const bars = actions.flatMap(({ stepNumber, n, outcome }) => {
    const effects = outcome?.effects ?? null;
    if (effects === null) return [];
    const { created, changed, deleted } = effects;
    return [{ n: `${stepNumber}.${n}`, low: created.bytes + changed.bytes, high: deleted.bytes }];
  });
  return (
    <BarChart title={T.goal.disk} bars={bars} low={T.goal.diskWritten} high={T.goal.diskDeleted} format={formatSize} />
  );
}
