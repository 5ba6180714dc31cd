import type { Reply, Script } from '@aish/demo-model';

/** A goal that ends without a word is asked for some. */
const COMPLETE = 'GOAL: complete';

/**
 * A model that follows a plan: its answer to a conversation with n answers of its own so far is number n. Holds no
 * state, so restarts and repeated requests change nothing.
 */
export function plan(...answers: readonly (string | Reply)[]): Script {
  return (messages) => {
    const n = messages.filter((message) => message.role === 'assistant').length;
    const answer = answers[n] ?? 'GOAL: blocked the plan has no more answers';
    return typeof answer === 'string' ? { text: answer === COMPLETE ? `${COMPLETE}\nDone.` : answer } : answer;
  };
}

/** Several plans in one model: the one whose key the goal's text contains. */
export function plans(byGoal: Readonly<Record<string, Script>>): Script {
  return (messages, n) => {
    const goal = messages.find((message) => message.role === 'user')?.content ?? '';
    const script = Object.entries(byGoal).find(([key]) => goal.includes(key))?.[1];
    return script?.(messages, n) ?? { text: `GOAL: blocked no plan for ${goal.slice(0, 100)}` };
  };
}

/** A model that finds this worth remembering when it is to summarize a session, and else follows `script`. */
export function proposing(found: string | ((transcript: string) => string), script: Script): Script {
  return (messages, n) => {
    if (messages[0]?.content.includes('Extract facts, preferences') !== true) return script(messages, n);
    if (typeof found === 'string') return { text: found };
    return { text: found(messages.map(({ content }) => content).join('\n')) };
  };
}

/** Words that a slow model says. No two in a row are alike: an answer that repeats itself is cut. */
export function slowWords(count: number): string {
  return Array.from({ length: count }, (_, n) => (n < 2 ? 'word' : `word${n}`)).join(' ');
}
