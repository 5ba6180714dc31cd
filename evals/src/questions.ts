import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { Job } from './job.js';

/** Whether a question was needed. `check` is a proposed check of the goal. */
type Worth = 'needed' | 'needless' | 'refused' | 'check';

export interface Answered {
  readonly worth: Worth;
  readonly action: string;
  readonly ruleId: string | null;
}

const YOURS = 'Decide that yourself.';
const NO = 'No: that must stay as it is. Find another way.';

/** Returns the verdict of a job's person on a question, and whether the question was needed. */
export function answerTo(
  { kind, action, classification }: Pick<Decision, 'kind' | 'action' | 'classification'>,
  { questions }: Pick<Job, 'questions'>,
): { readonly verdict: GiveVerdict; readonly answered: Answered } {
  const matches = (patterns: readonly string[]) => patterns.some((each) => new RegExp(each).test(action));
  const answerWorth = (worth: Worth): Answered => ({ worth, action, ruleId: classification?.ruleId ?? null });
  if (kind === 'question') {
    const { answer = YOURS } = questions;
    const worth = questions.answer === undefined ? 'needless' : 'needed';
    return { verdict: { verdict: 'proceed', answer: { answer } }, answered: answerWorth(worth) };
  }
  // The world of a job has everything that the job needs, so the goal gets no more access.
  if (kind === 'need') return { verdict: { verdict: 'skip', message: NO }, answered: answerWorth('needless') };
  if (kind === 'check' || kind === 'plan') return { verdict: { verdict: 'proceed' }, answered: answerWorth('check') };
  if (matches(questions.refused))
    return { verdict: { verdict: 'skip', message: NO }, answered: answerWorth('refused') };
  return { verdict: { verdict: 'proceed' }, answered: answerWorth(matches(questions.needed) ? 'needed' : 'needless') };
}
