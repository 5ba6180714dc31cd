import { actionText, type ActionRequest } from '@aish/contracts';

/** An action that has ended, and what came of it, short. */
export interface Recent {
  readonly what: string;
  readonly answer: string;
}

/** Actions that are looked back at. */
export const RECENT_MAX = 16;
/** The same action for this time: the model is told. */
export const TOLD_AT = 3;
/** The same action for this time: a person is asked. */
export const HALT_AT = 5;

/**
 * How often an action is asked for, this time included: in a row, whatever came of it, or among the newest actions with
 * the same result each time. A test that is run after every change and ends otherwise is no repetition.
 */
export function timesOf(recent: readonly Recent[], request: ActionRequest): number {
  const what = actionText(request);
  let inARow = 0;
  while (recent.at(-1 - inARow)?.what === what) inARow += 1;
  const answers = new Map<string, number>();
  for (const each of recent) {
    if (each.what === what) answers.set(each.answer, (answers.get(each.answer) ?? 0) + 1);
  }
  return 1 + Math.max(inARow, ...answers.values());
}

/** @param answer a digest of what came of it, or the state it ended in. */
export function remember(recent: readonly Recent[], request: ActionRequest, answer: string): readonly Recent[] {
  return [...recent, { what: actionText(request), answer }].slice(-RECENT_MAX);
}

/** Tells results apart; 53 bits are enough for sixteen of them. */
export function digest(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  return `${text.length}:${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}
