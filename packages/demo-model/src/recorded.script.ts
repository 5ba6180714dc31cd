import type { Script } from './scripted.model.js';

/** A model's recorded answers to a goal. `{address}` in both stands for an address that the goal names. */
export interface RecordedAnswers {
  readonly goal: string;
  readonly said: readonly string[];
}

/**
 * A model that repeats recorded answers: if the messages contain n answers of its own, it gives answer number n for the
 * person's goal. It has no state, so restarts and repeated requests change nothing.
 */
export function recordedScript(recorded: readonly RecordedAnswers[]): Script {
  return (messages) => {
    const asked = messages.find((message) => message.role === 'user')?.content ?? '';
    for (const { goal, said } of recorded) {
      const address = addressIn(asked, goal.trim());
      if (address === null) continue;
      const n = messages.filter((message) => message.role === 'assistant').length;
      return { text: (said[n] ?? 'GOAL: blocked nothing more was recorded').replaceAll('{address}', address) };
    }
    return { text: `GOAL: blocked nothing was recorded for ${asked.slice(0, 100)}` };
  };
}

/** Returns the value of `{address}`; empty if the goal names none; null if it is another goal. */
function addressIn(asked: string, goal: string): string | null {
  const [before = '', after] = goal.split('{address}');
  const start = asked.indexOf(before);
  if (start < 0) return null;
  const rest = asked.slice(start + before.length);
  const address = after === undefined ? '' : rest.slice(0, Math.max(0, rest.indexOf(after)));
  return asked.includes(goal.replaceAll('{address}', address)) ? address : null;
}
