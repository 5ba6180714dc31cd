/** A model's answer to the first request of a goal. */
export interface FirstAnswer {
  /** As the model wrote it, also what aish cut off. */
  readonly written: string;
  /** Why aish ended the request before the model did; null where it did not. */
  readonly cut: string | null;
  /** How the server says it ended. */
  readonly finishReason: string | null;
  /** What is wrong with each action that it asks for; undefined where it can run. */
  readonly faults: readonly (string | undefined)[];
}

/** Why a first answer is of no use. `invented`: it holds the result of a command that has not run. */
export type Unusable = 'invented' | 'no end' | 'no action';

const ACTION = /^[^\S\n]*(?:CMD:|```)/m;
/** Of an invented result: its heading where aish writes one, or where people write one after a command. */
const RESULT = /^[^\S\n]*(?:\[exec\]|\[aish\]|\[tool:|exit code \d|\*{0,2}(?:output|result)s?:?\*{0,2}:?[^\S\n]*$)/im;
const TURN = /^\*{0,2}(?:user|human)\*{0,2}:/im;

/**
 * Null for an answer that is usable: it ends by itself, contains an action that can run, and invents no result. Pure.
 */
export function unusable({ written, cut, finishReason, faults }: FirstAnswer): Unusable | null {
  const action = ACTION.exec(written);
  const after = action === null ? '' : written.slice(action.index);
  if (cut === 'invented' || RESULT.test(after) || TURN.test(after)) return 'invented';
  if (cut !== null || finishReason === 'length' || finishReason === null) return 'no end';
  return faults.some((fault) => fault === undefined) ? null : 'no action';
}
