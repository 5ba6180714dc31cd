import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';

/** @throws AishError `decision_changed` when the verdict is for what was shown before */
export function mustBeShown({ number, version }: Decision, given: GiveVerdict): void {
  if (given.version === undefined || given.version === version) return;
  throw new AishError('decision_changed', `Decision d-${number} is not what was shown; look at it again`, { version });
}
