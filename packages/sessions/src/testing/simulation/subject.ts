import { NOBODY, type Decision, type GrantScope, type Verdict } from '@aish/contracts/decisions';
import { isAishError, type ProblemCode } from '@aish/contracts/problems';
import type { Actor } from './actor.js';
import type { Chance } from './chance.js';

/** The situation of a session. */
export type Situation = 'goes on' | 'asks' | 'paused' | 'rests';

/** One step that acts on a session. @returns the result, for the trace. */
export type Act = () => Promise<string>;

/** A simulated session, which is a goal or a chat. */
export interface Subject {
  readonly sessionId: string;
  /** Returns a runner that has not begun. */
  runner(name: string): Actor;
  situation(): Promise<Situation>;
  /** Everything that people and aish may do at any moment. */
  readonly acts: readonly [Act, ...Act[]];
  /** Answers the open decision. */
  readonly answer: Act;
  /** Resumes the session if it is paused. */
  readonly goOn: Act;
  /**
   * Returns the differences between the state of this runner and the rows after its move. A null actor means that a
   * person acted.
   */
  differs(actor: Actor | null): Promise<readonly string[]>;
  /** Returns the limits that the session exceeds. */
  beyond(): Promise<readonly string[]>;
  close(): void;
}

/** A random verdict. */
export interface Given {
  readonly verdict: Verdict;
  readonly message: string | null;
  readonly edited: string | null;
  readonly granted: GrantScope | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly give?: () => Promise<readonly string[]>;
  readonly by: string;
}

/** @param mayEdit whether the verdict may replace the action. */
export function givenTo({ kind, difference, actionId }: Decision, mayEdit: boolean, chance: Chance): Given {
  const takesAnswer = kind === 'question' || kind === 'need' || kind === 'elicitation';
  const canEdit = mayEdit && !takesAnswer && difference === null;
  const drawn = chance.pick('verdict', ['proceed', 'proceed', 'proceed', 'skip', 'skip', 'instead', 'edit', 'abort']);
  const verdict = drawn === 'edit' && !canEdit ? 'skip' : drawn;
  const canGrant = verdict === 'proceed' && actionId !== null && !takesAnswer && difference === null;
  const isNeeded = kind === 'need' && verdict === 'proceed';
  const values = kind === 'question' ? { answer: 'sda' } : kind === 'elicitation' ? { name: 'Ada' } : null;
  return {
    verdict,
    message: chance.is('message', 0.3) ? 'mind the step' : null,
    edited: verdict !== 'edit' ? null : chance.pick('edited', ['{}', 'echo edited']),
    granted: canGrant && chance.is('grant', 0.3) ? chance.pick('scope', ['command', 'rule']) : null,
    answer: verdict === 'proceed' ? values : null,
    ...(isNeeded ? { give: () => Promise.resolve(['nas is within reach']) } : {}),
    by: verdict === 'skip' && chance.is('expired', 0.3) ? NOBODY : 'p',
  };
}

/** Performs an act that may be refused with one of these errors. */
export async function tried(
  what: string,
  act: () => Promise<unknown>,
  ...codes: readonly ProblemCode[]
): Promise<string> {
  try {
    await act();
    return what;
  } catch (error) {
    if (isAishError(error, ...codes)) return `${what}: ${error.code}`;
    throw error;
  }
}
