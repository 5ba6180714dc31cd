import type { NetworkPolicy, NetworkPolicyInput } from '@aish/contracts/network';
import { InvalidArgumentError } from 'commander';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';

export function policyOf(hosts: readonly string[], isPrivate: boolean): NetworkPolicyInput {
  if (hosts.length === 1 && hosts[0] === 'none') return { mode: 'none' };
  return { mode: 'allow', rules: hosts.map((text) => ({ ...hostAndPorts(text), private: isPrivate })) };
}

/** `host`, `host:80,443`, `[::1]:80`, `::1` */
function hostAndPorts(text: string): { readonly host: string; readonly ports?: number[] } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::([\d,]+))?$/.exec(text) ?? /^(?:()([\da-f:.]+))$/i.exec(text);
  const host = match?.[1] || match?.[2];
  if (host === undefined || text === 'none') {
    throw new InvalidArgumentError(`${oneLine(text)}: none alone, or host[:port,…] each`);
  }
  const ports = match?.[3];
  return { host, ...(ports === undefined ? {} : { ports: ports.split(',').map(Number) }) };
}

export function networkLine(policy: NetworkPolicy): Line {
  const rules = policy.mode === 'none' ? [] : policy.rules;
  const reach = rules.map((rule) => `${rule.host}:${rule.ports.join(',')}${rule.private ? ' (private)' : ''}`);
  return line(`network     ${oneLine(reach.join('  ') || 'none')}`);
}
