import { lookup as lookupAll } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { McpHttpServer } from '@aish/contracts/mcp-config';
import { AishError } from '@aish/contracts/problems';
import { canonicalAddress, machineAddresses, reachOf } from '@aish/http/reach';
import { buildConnector } from 'undici';

/** The server as far as addresses go: where it is said to be, and who said so. */
export type Placed = Pick<McpHttpServer, 'url' | 'reach'>;

/**
 * Why aish does not go to `address` for a server; null when it does. The rules are those of the sandbox's network: who
 * may not administer reaches what is public, an admin his house too, and this machine and its neighbours only where the
 * URL names that very address (or `localhost`).
 */
function refusal(address: string, { url, reach }: Placed): string | null {
  if (reach === 'any') return null;
  const canonical = canonicalAddress(address);
  if (canonical === null) return `${address} is no address to connect to`;
  switch (reachOf(canonical, machineAddresses())) {
    case 'public':
      return null;
    case 'private':
      return reach === 'private' ? null : `${canonical} is in a private network; an admin may connect it`;
    case 'own':
      if (reach === 'private' && names(url, canonical)) return null;
      return `${canonical} belongs to this machine or its neighbours; an admin may connect it by that very address`;
    case 'never':
      return `${canonical} is no address to connect to`;
  }
}

function names(url: string, canonical: string): boolean {
  const host = hostOf(new URL(url).hostname);
  if (host === 'localhost') return canonical === '127.0.0.1' || canonical === '::1';
  return canonicalAddress(host) === canonical;
}

/** Without the brackets of an IPv6 address. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Says at once that a server is where aish may not go. A name that is not known now may be known later: each connection
 * is looked at again.
 * @throws AishError `forbidden`
 */
export async function requireReach(server: Placed): Promise<void> {
  const host = hostOf(new URL(server.url).hostname);
  const found = await lookup(host, { all: true }).catch(() => []);
  const refused = found.flatMap(({ address }) => refusal(address, server) ?? [])[0];
  if (refused !== undefined) throw new AishError('forbidden', `${host}: ${refused}`, { needed: 'admin' });
}

/** Why connections were not made. */
const unconnected = new WeakSet<Error>();

/** Whether a request failed before it was sent: there was no connection to send it over. */
export function isUnconnected(error: unknown): boolean {
  return error instanceof Error && (unconnected.has(error) || isUnconnected(error.cause));
}

/** Connects only to addresses that the server may lead to. This includes redirects and all addresses it names. */
export function guardedConnector(server: Placed, timeoutMs: number): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, options, done) => {
    lookupAll(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      // One that may not be is enough: a name that is public and private at once is an attempt.
      const refused = found.flatMap(({ address }) => refusal(address, server) ?? [])[0];
      if (refused !== undefined) return done(unreachable(hostname, refused), '');
      if (options.all === true) return done(null, found);
      const [first] = found;
      return first === undefined
        ? done(unreachable(hostname, 'it has no address'), '')
        : done(null, first.address, first.family);
    });
  };
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup });
  return (options, answer) => {
    const done: typeof answer = (...outcome) => {
      if (outcome[0] !== null) unconnected.add(outcome[0]);
      answer(...outcome);
    };
    const host = hostOf(options.hostname);
    // No name is looked up for an address.
    const refused = canonicalAddress(host) === null ? null : refusal(host, server);
    if (refused === null) connect(options, done);
    else done(unreachable(host, refused), null);
  };
}

function unreachable(host: string, why: string): AishError {
  return new AishError('mcp_unreachable', `aish does not connect to ${host}: ${why}`);
}
