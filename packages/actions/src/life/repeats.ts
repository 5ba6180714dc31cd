import { actionText, type ActionRequest } from '@aish/contracts/actions';

/** The start and end of an action in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** An action that has ended, and a short form of its result. */
export interface RecentAction {
  readonly what: string;
  readonly answer: string;
  /** When it started and ended; absent if unknown. */
  readonly when?: TimeSpan;
  /** Set for a command that changed files of the workspace. */
  readonly wrote?: true;
}

/** Number of earlier actions that are compared. */
export const RECENT_MAX = 16;
/** The digest of an action that did not run. */
export const NOT_RUN = 'skipped';
/** The pause in milliseconds after which the same action counts as a new look at whether something has changed. */
const PASSED_MS = 60_000;
/** The number of repetitions at which the model gets a notice. */
export const NOTICE_AT = 3;
/** A person is asked before the action runs this many times. */
export const HALT_AT = 5;

/**
 * Counts how often an action has brought nothing new: the number of recent actions that are the same and ended like the
 * last one. A test that runs after every change, or a status that is polled until it changes, is not a repetition. An
 * action that a person refused counts as one. An action after a long pause does not.
 *
 * @param at when it is requested; absent if it has just ended.
 */
export function countRepeats(recent: readonly RecentAction[], request: ActionRequest, at?: number): number {
  const what = actionText(request);
  const all = recent.filter((each) => each.what === what);
  const passed = (before: RecentAction | undefined, from: number | undefined): boolean =>
    before?.when !== undefined && from !== undefined && from - before.when.to >= PASSED_MS;
  if (passed(all.at(-1), at)) return 0;
  const pause = all.findLastIndex((each, n) => passed(all[n - 1], each.when?.from));
  const same = all.slice(Math.max(0, pause));
  const last = same.findLast(({ answer }) => answer !== NOT_RUN)?.answer ?? NOT_RUN;
  return same.filter(({ answer }) => answer === last || answer === NOT_RUN).length;
}

/** @param answer a digest of the action's result, or the state in which it ended. */
export function addRecent(
  recent: readonly RecentAction[],
  request: ActionRequest,
  answer: string,
  when?: TimeSpan,
  wrote = false,
): readonly RecentAction[] {
  const more = { ...(when === undefined ? {} : { when }), ...(wrote ? { wrote: true as const } : {}) };
  return [...recent, { what: actionText(request), answer, ...more }].slice(-RECENT_MAX);
}

/** Returns a digest that distinguishes results. 53 bits are enough, because at most sixteen are compared. */
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
