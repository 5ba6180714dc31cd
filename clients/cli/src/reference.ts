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
 * How things are called, everywhere: `g4` a goal, `4.3` its third step, `c12` a chat or any session, `d17` a decision. A dash after the letter
 * (`d-17`) and a UUID are understood, too, and the number alone wherever only one kind of thing can be meant.
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

/** `g4`, `4` or a UUID: a goal; `c12`: the session with that number, as chats are. Written as `4` and `c-12`. */
export function workplaceReference(text: string): string {
  const chat = /^[cs]-?([1-9]\d{0,8})$/i.exec(text)?.[1];
  if (chat !== undefined) return `c-${chat}`;
  const goal = /^g-?([1-9]\d{0,8})$/i.exec(text)?.[1] ?? text;
  if (Reference.safeParse(goal).success) return goal;
  throw new InvalidArgumentError('A goal is named g4 or 4, a chat c12, both by UUIDs.');
}

/** A step of a goal: `4.3` or `g4.3`; null when it is called otherwise. */
export function stepReference(text: string): { readonly goal: string; readonly step: number } | null {
  const [, goal, step] = /^(?:g-?)?([1-9]\d{0,8})\.([1-9]\d{0,5})$/i.exec(text) ?? [];
  return goal === undefined ? null : { goal, step: Number(step) };
}

export interface AnyReference {
  readonly type: 'goal' | 'chat' | 'decision';
  readonly reference: string;
  /** Of the goal, when only this one is meant. */
  readonly step?: number;
}

/** A goal, a step of one, a chat or a decision; only `d…` is a decision, and only `c…` a chat. */
export function anyReference(text: string): AnyReference {
  const named = stepReference(text);
  if (named !== null) return { type: 'goal', reference: named.goal, step: named.step };
  if (/^d-?\d+$/i.test(text)) return { type: 'decision', reference: decisionReference(text) };
  if (/^c-?\d+$/i.test(text)) return { type: 'chat', reference: sessionReference(text) };
  return { type: 'goal', reference: goalReference(text) };
}
