import { actionText, type ActionRequest } from '@aish/contracts/actions';

/** Milliseconds since 1970. */
export interface When {
  readonly from: number;
  readonly to: number;
}

/** An action that has ended, and what came of it, short. */
export interface Recent {
  readonly what: string;
  readonly answer: string;
  /** When it began and ended; absent where nobody knows. */
  readonly when?: When;
  /** Of a command: it changed files of the workspace. */
  readonly wrote?: true;
}

/** Actions that are looked back at. */
export const RECENT_MAX = 16;
/** How the digest of an action says that it was not run. */
export const NOT_RUN = 'skipped';
/** After so long the same is asked for again because time has passed: somebody looks whether something has changed. */
const PASSED_MS = 60_000;
/** The same action for this time: the model is told. */
export const TOLD_AT = 3;
/** The same action for this time: a person is asked. */
export const HALT_AT = 5;

/**
 * How often an action has come to nothing new: those of the newest actions that are the same and ended as its last one
 * did. A test that is run after every change, or a status that is polled until it changes, is no repetition; what a
 * person would not have again is one. Nor is what time has passed before.
 * @param at when it is asked for; absent where it has just ended.
 */
export function timesOf(recent: readonly Recent[], request: ActionRequest, at?: number): number {
  const what = actionText(request);
  const all = recent.filter((each) => each.what === what);
  const passed = (before: Recent | undefined, from: number | undefined): boolean =>
    before?.when !== undefined && from !== undefined && from - before.when.to >= PASSED_MS;
  if (passed(all.at(-1), at)) return 0;
  const pause = all.findLastIndex((each, n) => passed(all[n - 1], each.when?.from));
  const same = all.slice(Math.max(0, pause));
  const last = same.findLast(({ answer }) => answer !== NOT_RUN)?.answer ?? NOT_RUN;
  return same.filter(({ answer }) => answer === last || answer === NOT_RUN).length;
}

/** @param answer a digest of what came of it, or the state it ended in. */
export function remember(
  recent: readonly Recent[],
  request: ActionRequest,
  answer: string,
  when?: When,
  wrote = false,
): readonly Recent[] {
  const more = { ...(when === undefined ? {} : { when }), ...(wrote ? { wrote: true as const } : {}) };
  return [...recent, { what: actionText(request), answer, ...more }].slice(-RECENT_MAX);
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
