import type { Turn } from '@aish/contracts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Roughly how many characters of a conversation one token stands for; used where the endpoint does not count. */
const CHARS_PER_TOKEN = 3;

/** Turns grow only at the end, so that the endpoint's cache holds; when they must shrink they shrink by a lot. */
const SHRINK_TO = 0.6;

/**
 * The messages of a session. Neighbouring turns of one side become one message, since chat templates want user and
 * assistant to alternate. The first user turn (a goal's text) always stays; when the window is over its budget the
 * oldest turns after it are dropped at once, down to 60 %, an answer never without what it was an answer to.
 * Source: architecture, "The model's context is a cost".
 * @param budgetTokens room for the messages, in estimated tokens.
 */
export function compose(system: string, turns: readonly Turn[], budgetTokens: number): readonly Message[] {
  const messages: Message[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) messages[messages.length - 1] = { role, content: `${last.content}\n\n${turn.content}` };
    else messages.push({ role, content: turn.content });
  }
  return [{ role: 'system', content: system }, ...fit(messages, budgetTokens - estimate(system))];
}

/**
 * Drops pairs from the front. Where the cut lies depends only on the turns before it: it moves in jumps of 40 % of
 * the budget, so that most steps see the same beginning as the step before.
 */
function fit(messages: readonly Message[], budget: number): readonly Message[] {
  const first = messages[0];
  if (first === undefined) return messages;
  const fixed = estimate(first.content);
  let used = fixed;
  let start = 1;
  for (let end = 1; end < messages.length; end += 1) {
    used += estimate(messages[end]?.content ?? '');
    if (used <= budget) continue;
    while (used > budget * SHRINK_TO && start + 2 <= end) {
      used -= estimate(messages[start]?.content ?? '') + estimate(messages[start + 1]?.content ?? '');
      start += 2;
    }
  }
  return start === 1 ? messages : [first, ...messages.slice(start)];
}

function estimate(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN) + 8;
}
