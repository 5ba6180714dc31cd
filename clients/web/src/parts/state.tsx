import type { GoalState } from '@aish/contracts/goals';
import { stateLook } from '@aish/views/goal.format';
import type { JSX } from 'preact';

/** Shows the state of a goal: its symbol, and always its word. */
export function StateMark({ state }: { readonly state: GoalState }): JSX.Element {
  const { symbol, style } = stateLook(state);
  return (
    <span class={`state s-${style} is-${state}`}>
      <span aria-hidden="true">{symbol}</span> {state}
    </span>
  );
}
