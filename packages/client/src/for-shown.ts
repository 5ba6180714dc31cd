import type { Decision, GiveVerdict } from '@aish/contracts/decisions';

/** A verdict for what a person was shown: refused as `decision_changed` where that is another decision by now. */
export function forShown({ version }: Pick<Decision, 'version'>, given: GiveVerdict): GiveVerdict {
  return version === undefined ? given : { ...given, version };
}
