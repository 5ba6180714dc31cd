/** A model's answer to the first request of a goal. */
export interface FirstAnswer {
  /** The answer as the model wrote it, including the part that aish cut off. */
  readonly written: string;
  /** The reason why aish ended the request before the model did, or null. */
  readonly cut: string | null;
  /** The finish reason that the server reports. */
  readonly finishReason: string | null;
  /** The fault of each requested action, or undefined if the action can run. */
  readonly faults: readonly (string | undefined)[];
}

/**
 * The reason why a first answer is unusable. `invented` means that it contains the result of a command that has not
 * run.
 */
export type Unusable = 'invented' | 'no end' | 'no action';

const ACTION = /^[^\S\n]*(?:CMD:|```)/m;
/** Matches signs of an invented result: a heading as aish writes it, or as people write it after a command. */
const RESULT = /^[^\S\n]*(?:\[exec\]|\[aish\]|\[tool:|exit code \d|\*{0,2}(?:output|result)s?:?\*{0,2}:?[^\S\n]*$)/im;
const TURN = /^\*{0,2}(?:user|human)\*{0,2}:/im;

/**
 * Returns the reason why an answer is unusable, or null. A usable answer ends by itself, contains an action that can
 * run, and invents no result. The function is pure.
 */
export function unusable({ written, cut, finishReason, faults }: FirstAnswer): Unusable | null {
  const action = ACTION.exec(written);
  const after = action === null ? '' : written.slice(action.index);
  if (cut === 'invented' || RESULT.test(after) || TURN.test(after)) return 'invented';
  if (cut !== null || finishReason === 'length' || finishReason === null) return 'no end';
  return faults.some((fault) => fault === undefined) ? null : 'no action';
}
