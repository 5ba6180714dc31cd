import type { NetworkPolicy, NetworkRule } from '@aish/contracts/network';
import { canonicalAddress, addressKind } from '@aish/http/address-kind';
import type { Target } from './target.js';

export type Judgement =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly reason: string };

/** Returns the rule that lists a target by name or address and port, or null. */
export function ruleFor(policy: NetworkPolicy, target: Target): NetworkRule | null {
  if (policy.mode === 'none') return null;
  return policy.rules.find((rule) => rule.ports.includes(target.port) && matches(rule.host, target)) ?? null;
}

/**
 * Decides whether a target listed by `rule` may be reached at its resolved addresses. One forbidden address is enough
 * to refuse the target, because a name that is both public and private is an attack.
 */
export function judge(
  policy: NetworkPolicy,
  rule: NetworkRule,
  target: Target,
  addresses: readonly string[],
  machine: ReadonlySet<string>,
): Judgement {
  for (const address of addresses) {
    const kind = addressKind(address, machine);
    if (kind === 'public' || (kind === 'private' && rule.private)) continue;
    if (kind !== 'never' && opensAddress(policy, address, target.port)) continue;
    const what = target.isAddress ? address : `${target.host} is ${address}, which`;
    return { allowed: false, reason: `${what} ${REFUSALS[kind]}` };
  }
  return { allowed: true, reason: `rule ${rule.host}` };
}

const REFUSALS = {
  private: 'is in a private network; the rule must say private',
  own: 'belongs to this machine or its neighbors; only a rule for that exact address, with private, allows it',
  never: 'is not an address to connect to',
} as const;

/** Returns whether a rule opens a non-public address by naming it. */
function opensAddress(policy: NetworkPolicy, address: string, port: number): boolean {
  if (policy.mode === 'none') return false;
  return policy.rules.some(
    (rule) => rule.private && rule.ports.includes(port) && canonicalAddress(rule.host) === address,
  );
}

function matches(host: string, target: Target): boolean {
  if (target.isAddress) return canonicalAddress(host) === target.host;
  return host.startsWith('*.') ? target.host.endsWith(host.slice(1)) : target.host === host;
}
