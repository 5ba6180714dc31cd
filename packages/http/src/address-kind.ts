import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * The clients that may connect to an address. `public`: everyone. `private`: an address at home. `own`: this machine,
 * its local link, or a cloud's metadata service; allowed only by a rule for exactly that address. `never`: nobody.
 */
export type AddressKind = 'public' | 'private' | 'own' | 'never';

const PRIVATE: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal']);
const OWN: ReadonlySet<string> = new Set(['loopback', 'linkLocal']);
/** Addresses of cloud metadata services with credentials, outside the link-local range. */
const METADATA: ReadonlySet<string> = new Set([
  'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16', '192.0.0.192',
]); // prettier-ignore
/** The only IPv6 range that is routed publicly. Other ranges contain IPv4 addresses or are obsolete. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Returns the canonical form of an address: dotted IPv4, even inside an IPv6 address. Null if the text is not an
 * address.
 */
export function canonicalAddress(text: string): string | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  // IPv4 means four decimal numbers here. The caller has converted the other notations.
  if (address.kind() === 'ipv4' && !text.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(text)) return null;
  return address.toString();
}

/** Classifies a canonical address. `machine` contains the canonical addresses of this machine. */
export function addressKind(address: string, machine: ReadonlySet<string>): AddressKind {
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (OWN.has(range) || METADATA.has(address) || machine.has(address)) return 'own';
  if (PRIVATE.has(range)) return 'private';
  if (range !== 'unicast') return 'never';
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6) ? 'public' : 'never';
}

/** Returns the current canonical addresses of this machine. */
export function machineAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.flatMap(({ address }) => canonicalAddress(address) ?? []));
}
