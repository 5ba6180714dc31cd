import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * Who may be reached at an address. `public`: anybody's. `private`: somebody's at home. `own`: this machine, what it
 * shares a wire with, or a cloud's metadata service, opened only by a rule for that very address. `never`: nobody's.
 */
export type Reach = 'public' | 'private' | 'own' | 'never';

const PRIVATE: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal']);
const OWN: ReadonlySet<string> = new Set(['loopback', 'linkLocal']);
/** Where clouds answer with credentials, outside the link-local range. */
const METADATA: ReadonlySet<string> = new Set([
  'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16', '192.0.0.192',
]); // prettier-ignore
/** The only IPv6 that is routed to anybody; other ranges carry IPv4 addresses within, or are history. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** The one way to write an address: IPv4 dotted, also when it came inside an IPv6 one. Null when it is none. */
export function canonicalAddress(text: string): string | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  // IPv4 here means four decimal numbers. The caller has converted the other notations.
  if (address.kind() === 'ipv4' && !text.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(text)) return null;
  return address.toString();
}

/** Judges a canonical address. `machine`: the canonical addresses of this machine itself. */
export function reachOf(address: string, machine: ReadonlySet<string>): Reach {
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (OWN.has(range) || METADATA.has(address) || machine.has(address)) return 'own';
  if (PRIVATE.has(range)) return 'private';
  if (range !== 'unicast') return 'never';
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6) ? 'public' : 'never';
}

/** The canonical addresses of this machine as they are now. */
export function machineAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.flatMap(({ address }) => canonicalAddress(address) ?? []));
}
