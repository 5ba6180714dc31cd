import type { Command } from '../shell/command.js';

/**
 * Addresses on this machine or its network that show the state of a service: its first page, its health, a file. They
 * have no query, because a query may ask for anything. Their host has no public name, because the request would then be
 * visible to others.
 */
const STATE =
  /^(?:http:\/\/)?(?:(?:127\.0\.0\.1|localhost)(?::\d+)?\/[\w-]+\.(?:txt|html)|(?:127\.0\.0\.1|[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.(?:lan|local|internal|home\.arpa))?)(?::\d+)?(?:\/(?:health|healthz|ping|status|version|metrics|ready|readyz)?)?)$/;
const VALUES = /^(-m|--max-time|--connect-timeout|-H|--header)$/;

/** Whether curl only asks services on this machine or its network for their state. */
export function curlReads(c: Command): boolean {
  if (c.name !== 'curl' || c.input.kind !== 'none') return false;
  const values = c.args.flatMap((text, at) => (VALUES.test(c.args[at - 1] ?? '') ? [at] : []));
  const given = c.args.filter((_, at) => !values.includes(at));
  const addresses = given.filter((text) => !text.startsWith('-'));
  return (
    values.every((at) => /^(?:\d+(?:\.\d+)?|Host: [\w.-]+)$/.test(c.args[at] ?? '')) &&
    given.every((text) => STATE.test(text) || VALUES.test(text) || /^-[sSfIiv]+$|^--(?:silent|show-error|fail|head|include)$/.test(text)) &&
    addresses.length > 0
  ); // prettier-ignore
}
