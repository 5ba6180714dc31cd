import { readNetworkRule, type NetworkPolicyInput } from '@aish/contracts/network';
import { InvalidArgumentError } from 'commander';
import { oneLine } from '@aish/views/sanitise';

export function policyOf(hosts: readonly string[], isPrivate: boolean): NetworkPolicyInput {
  if (hosts.length === 1 && hosts[0] === 'none') return { mode: 'none' };
  return { mode: 'allow', rules: hosts.map((text) => ({ ...hostAndPorts(text), private: isPrivate })) };
}

function hostAndPorts(text: string): { readonly host: string; readonly ports?: number[] } {
  const rule = text === 'none' ? null : readNetworkRule(text);
  if (rule === null) throw new InvalidArgumentError(`${oneLine(text)}: must be host[:port,…], or only none`);
  return rule;
}
