import { goalsApi } from '@aish/contracts/endpoints/goals';
import { commandGrantsApi } from '@aish/contracts/endpoints/sessions';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { Grant, GrantList } from '@aish/contracts/grants';
import type { Transport } from './transport.js';

const isChat = (reference: string): boolean => reference.startsWith('c-');

/** Lists the grants of a goal, or of a chat: `c-12`. */
export function listGrants(transport: Transport, ref: string, signal?: AbortSignal): Promise<GrantList> {
  const sent = { params: { ref } };
  return transport.call(isChat(ref) ? commandGrantsApi.list : goalsApi.grants, sent, signal);
}

export function revokeGrant(transport: Transport, ref: string, id: string, signal?: AbortSignal): Promise<Grant> {
  const sent = { params: { ref, id } };
  return transport.call(isChat(ref) ? commandGrantsApi.revoke : goalsApi.revoke, sent, signal);
}

/**
 * Returns a verdict on the version that a person was shown. The api refuses it with `decision_changed` if the decision
 * has changed.
 */
export function forShown({ version }: Pick<Decision, 'version'>, given: GiveVerdict): GiveVerdict {
  return version === undefined ? given : { ...given, version };
}
