import type { Reply, Script } from '@aish/demo-model';

/** A goal that ends without a summary is asked for one. */
const COMPLETE = 'GOAL: complete';

/**
 * Returns the script of a model that follows a plan. If the conversation has n of its answers, the next answer is
 * number n. The model has no state, so restarts and repeated requests change nothing.
 */
export function plan(...answers: readonly (string | Reply)[]): Script {
  return (messages) => {
    const n = messages.filter((message) => message.role === 'assistant').length;
    const answer = answers[n] ?? 'GOAL: blocked the plan has no more answers';
    return typeof answer === 'string' ? { text: answer === COMPLETE ? `${COMPLETE}\nDone.` : answer } : answer;
  };
}

/** Combines several plans in one model. The key that the goal's text contains chooses the plan. */
export function plans(byGoal: Readonly<Record<string, Script>>): Script {
  return (messages, n) => {
    const goal = messages.find((message) => message.role === 'user')?.content ?? '';
    const script = Object.entries(byGoal).find(([key]) => goal.includes(key))?.[1];
    return script?.(messages, n) ?? { text: `GOAL: blocked no plan for ${goal.slice(0, 100)}` };
  };
}

/** Returns the script of a model that returns `found` when it summarizes a session, and otherwise follows `script`. */
export function proposing(found: string | ((transcript: string) => string), script: Script): Script {
  return (messages, n) => {
    if (messages[0]?.content.includes('Extract facts, preferences') !== true) return script(messages, n);
    if (typeof found === 'string') return { text: found };
    return { text: found(messages.map(({ content }) => content).join('\n')) };
  };
}

/** Returns the words of a slow model. No two in a row are alike, because a repetitive answer would be cut off. */
export function slowWords(count: number): string {
  return Array.from({ length: count }, (_, n) => (n < 2 ? 'word' : `word${n}`)).join(' ');
}
