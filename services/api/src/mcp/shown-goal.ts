import type { Goal, GoalDetail } from '@aish/contracts/goals';

const STEPS_SHOWN = 5;
const TEXT_MAX_CHARS = 2_000;

/** Returns a goal as MCP clients see it. */
export function shownGoal({ number, text, state, reason, summary, stepsTaken, stepBudget, createdAt, endedAt }: Goal) {
  return {
    goal: number,
    text: text.slice(0, TEXT_MAX_CHARS),
    state,
    reason,
    summary,
    steps: `${stepsTaken}/${stepBudget}`,
    createdAt,
    endedAt,
  };
}

/** Returns a goal with its last steps and open decisions, as MCP clients see it. */
export function shownDetail({ steps, decisions, ...goal }: GoalDetail) {
  return {
    ...shownGoal(goal),
    steps: steps.slice(-STEPS_SHOWN).map(({ n, text }) => ({ n, text: text?.slice(0, TEXT_MAX_CHARS) ?? null })),
    waitsForPerson: decisions
      .filter(({ state }) => state === 'pending')
      .map(({ number, reason }) => ({ decision: `d${number}`, reason })),
  };
}
