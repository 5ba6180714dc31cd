import { createHash } from 'node:crypto';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';

/** The decision with a name of all that a person is shown of it: a verdict that names it covers that and nothing else. */
export function versioned(decision: Decision): Decision {
  const { action, reason, classification, surroundings, difference, request, goalText } = decision;
  const shown = JSON.stringify([action, reason, classification, surroundings, difference, request, goalText]);
  return { ...decision, version: createHash('sha256').update(shown).digest('base64url').slice(0, 22) };
}

/** @throws AishError `decision_changed` when the verdict is for what was shown before */
export function mustBeShown({ number, version }: Decision, given: GiveVerdict): void {
  if (given.version === undefined || given.version === version) return;
  throw new AishError('decision_changed', `Decision d-${number} is not what was shown; look at it again`, { version });
}
