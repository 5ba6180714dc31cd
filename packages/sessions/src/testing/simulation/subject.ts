import type { Decision, GrantScope, Verdict } from '@aish/contracts/decisions';
import { isAishError, type ProblemCode } from '@aish/contracts/problems';
import type { Actor } from './actor.js';
import type { Chance } from './chance.js';

/** Where a session stands. */
export type Standing = 'goes on' | 'asks' | 'paused' | 'rests';

/** One step that acts on a session. @returns the result, for the trace. */
export type Act = () => Promise<string>;

/** A session that is simulated. */
export interface Subject {
  readonly sessionId: string;
  /** A driver that has not begun. */
  driver(name: string): Actor;
  standing(): Promise<Standing>;
  /** Everything that people and aish may do at any moment. */
  readonly acts: readonly [Act, ...Act[]];
  /** Answers what it asks. */
  readonly answer: Act;
  /** Lets it go on where it was paused. */
  readonly goOn: Act;
  /** What is wrong with what this driver has, now that it has moved; null: a person did something. */
  differs(actor: Actor | null): Promise<readonly string[]>;
  /** What is wrong with its bounds. */
  beyond(): Promise<readonly string[]>;
  close(): void;
}

/** A verdict that chance gives. */
export interface Given {
  readonly verdict: Verdict;
  readonly message: string | null;
  readonly edited: string | null;
  readonly granted: GrantScope | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly give?: () => Promise<readonly string[]>;
  readonly by: string;
}

/** @param mayEdit whether something else may run instead. */
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
    by: verdict === 'skip' && chance.is('expired', 0.3) ? 'aish' : 'p',
  };
}

/** An act that may be refused with one of these. */
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
