import * as z from 'zod';
import { AishError } from './problems.js';

/** A DNS name. Its last label begins with a letter, so that no resolver reads it as an address. */
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** An exact host name, `*.` before a name for all names below it, or an IP address. Non-ASCII names are in punycode. */
export const NetworkHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .refine((host) => isAddress(host) || DNS_NAME.test(host.replace(/^\*\./, '')), {
    error: 'must be a host name, *. and a host name, or an IP address',
  });

const PORTS_MAX = 32;
const RULES_MAX = 200;

/** A destination that commands may reach. */
export const NetworkRule = z
  .strictObject({
    host: NetworkHost,
    ports: z.array(z.int().min(1).max(65_535)).min(1).max(PORTS_MAX).default([443]),
    /**
     * Whether a name may resolve to private ranges. Loopback, link-local and the sandbox's own addresses are reachable
     * only if the rule's host is that exact address.
     */
    private: z.boolean().default(false),
  })
  .refine((rule) => !(rule.private && rule.host.startsWith('*.')), {
    error: 'private needs an exact name or address, because a wildcard could point to any address',
    path: ['private'],
  });
export type NetworkRule = z.infer<typeof NetworkRule>;

/** Parses `host`, `host:80,443`, `[::1]:80` or `::1`; null for other forms. The caller checks the parts. */
export function readNetworkRule(text: string): { readonly host: string; readonly ports?: number[] } | null {
  const match = /^(?:\[([^\]]+)\]|([^:\s]+))(?::([\d,]+))?$/.exec(text) ?? /^(?:()([\da-f:.]+))$/i.exec(text);
  const host = match?.[1] || match?.[2];
  if (host === undefined) return null;
  const ports = match?.[3];
  return { host, ...(ports === undefined ? {} : { ports: ports.split(',').map(Number) }) };
}

export function formatNetworkRule({ host, ports }: Pick<NetworkRule, 'host' | 'ports'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${ports.join(',')}`;
}

/**
 * The destinations that commands of one workspace may reach: none (`none`), or through a proxy only those that the
 * rules list.
 */
export const NetworkPolicy = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('none') }),
    z.strictObject({ mode: z.literal('allow'), rules: z.array(NetworkRule).min(1).max(RULES_MAX) }),
  ])
  .meta({ id: 'NetworkPolicy' });
export type NetworkPolicy = z.infer<typeof NetworkPolicy>;
export type NetworkPolicyInput = z.input<typeof NetworkPolicy>;

/** One host and one port. */
export const NetworkDestination = z.strictObject({
  host: NetworkHost,
  port: z.int().min(1).max(65_535),
  private: z.boolean(),
});
export type NetworkDestination = z.infer<typeof NetworkDestination>;

/**
 * The policy with one more destination. Nothing changes if it is already allowed.
 *
 * @throws AishError `network_full` if no more rules fit.
 */
export function allowDestination(policy: NetworkPolicy, way: NetworkDestination): NetworkPolicy {
  const open = opened(policy, way);
  if (open === null) throw networkFull(way);
  return open;
}

/**
 * Adds several destinations.
 *
 * @returns the policy with those that fit, and those that do not
 */
export function allowDestinations(
  policy: NetworkPolicy,
  ways: readonly NetworkDestination[],
): { readonly policy: NetworkPolicy; readonly left: readonly NetworkDestination[] } {
  const left: NetworkDestination[] = [];
  let next = policy;
  for (const way of ways) {
    const open = opened(next, way);
    if (open === null) left.push(way);
    else next = open;
  }
  return { policy: next, left };
}

export function networkFull({ host, port, private: isPrivate }: NetworkDestination): AishError {
  const [, domain] = /^[^.]+\.([^.]+\..+)$/.exec(isAddress(host) ? '' : host) ?? [];
  const many = isPrivate || domain === undefined ? '' : `, or replace several with *.${domain}`;
  const place = formatNetworkRule({ host, ports: [port] });
  const why = `${place} cannot be added: the network policy already has its maximum of ${RULES_MAX} rules`;
  return new AishError(
    'network_full',
    `${why}. Remove a rule with aish set --network or aish space set --network${many}`,
  );
}

/** Returns the policy with this destination added; null if no more rules fit. */
function opened(policy: NetworkPolicy, { host, port, private: isPrivate }: NetworkDestination): NetworkPolicy | null {
  const rules = policy.mode === 'none' ? [] : policy.rules;
  const same = rules.filter((rule) => rule.host === host && rule.private === isPrivate);
  if (same.some(({ ports }) => ports.includes(port))) return policy;
  const wider = same.find(({ ports }) => ports.length < PORTS_MAX);
  const more = { host, ports: [...(wider?.ports ?? []), port], private: isPrivate };
  const next = [...rules.filter((rule) => rule !== wider), more];
  return next.length > RULES_MAX ? null : { mode: 'allow', rules: next };
}

/** A connection that a command asked for, and whether it was allowed. */
export const NetworkConnection = z
  .object({
    host: z.string(),
    port: z.int(),
    allowed: z.boolean(),
    /** Why the connection was refused, or which rule allowed it. */
    reason: z.string(),
  })
  .meta({ id: 'NetworkConnection' });
export type NetworkConnection = z.infer<typeof NetworkConnection>;

/** One destination of a command. `count`: number of attempts. */
export const CountedConnection = NetworkConnection.extend({ count: z.int() });
export type CountedConnection = z.infer<typeof CountedConnection>;

/** The newest stored connections of a workspace, oldest first. */
export const NetworkConnectionList = z
  .object({ items: z.array(NetworkConnection.extend({ at: z.iso.datetime() })) })
  .meta({ id: 'NetworkConnectionList' });
export type NetworkConnectionList = z.infer<typeof NetworkConnectionList>;

function isAddress(host: string): boolean {
  return z.ipv4().safeParse(host).success || z.ipv6().safeParse(host).success;
}
