import {
  DecisionReference,
  EventReference,
  GoalReference,
  Reference,
  RunbookProposalReference,
  SessionReference,
} from '@aish/contracts/goals';
import { InvalidArgumentError } from 'commander';

/**
 * Returns a reader of names. Names are the same everywhere: `g4` is a goal, `4.3` its third step, `c12` a chat or any
 * session, `d17` a decision. A dash after the letter (`d-17`) and a UUID work too. The number alone works where only
 * one kind of thing is possible.
 */
function reader(
  schema: typeof GoalReference | typeof RunbookProposalReference,
  trouble: string,
): (text: string) => string {
  return (text) => {
    const read = schema.safeParse(text);
    if (read.success) return read.data;
    throw new InvalidArgumentError(trouble);
  };
}

export const goalReference = reader(GoalReference, 'A goal is named g4, by its number alone (4), or by its UUID.');
export const sessionReference = reader(
  SessionReference,
  'A chat is named c12, by its number alone (12), or by its UUID.',
);
export const decisionReference = reader(
  DecisionReference,
  'A decision is named d17, by its number alone (17), or by its UUID.',
);
export const eventReference = reader(EventReference, 'An event is named e4, by its number alone (4), or by its UUID.');
export const runbookProposalReference = reader(
  RunbookProposalReference,
  'A proposal is named p3, or by its number alone (3).',
);

/**
 * Reads the name of a goal or session. `g4`, `4` or a UUID is a goal, and `c12` is the session with that number. They
 * are returned as `4` and `c-12`.
 */
export function workplaceReference(text: string): string {
  const chat = /^[cs]-?([1-9]\d{0,8})$/i.exec(text)?.[1];
  if (chat !== undefined) return `c-${chat}`;
  const goal = /^g-?([1-9]\d{0,8})$/i.exec(text)?.[1] ?? text;
  if (Reference.safeParse(goal).success) return goal;
  throw new InvalidArgumentError('Name a goal as g4 or 4, a chat as c12, or use the UUID of either.');
}

/** Reads a step of a goal: `4.3` or `g4.3`. Returns null for any other name. */
export function stepReference(text: string): { readonly goal: string; readonly step: number } | null {
  const [, goal, step] = /^(?:g-?)?([1-9]\d{0,8})\.([1-9]\d{0,5})$/i.exec(text) ?? [];
  return goal === undefined ? null : { goal, step: Number(step) };
}

export interface AnyReference {
  readonly type: 'goal' | 'chat' | 'decision';
  readonly reference: string;
  /** The step, if the name contains one. */
  readonly step?: number;
}

/**
 * Reads the name of a goal, a step of a goal, a chat or a decision. Only `d…` is a decision, and only `c…` is a chat.
 */
export function anyReference(text: string): AnyReference {
  const named = stepReference(text);
  if (named !== null) return { type: 'goal', reference: named.goal, step: named.step };
  if (/^d-?\d+$/i.test(text)) return { type: 'decision', reference: decisionReference(text) };
  if (/^c-?\d+$/i.test(text)) return { type: 'chat', reference: sessionReference(text) };
  return { type: 'goal', reference: goalReference(text) };
}
