import { readFileSync } from 'node:fs';
import { probeSettings, type Rules, NO_HOST_RULES } from '@aish/lab';
import { SHELL_MASK } from '@aish/secrets';

const SCRIPT = readFileSync(new URL('../../scripts/probe.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');

/**
 * Returns the command for a host: the whole script, as the one command that the certificate allows. Nothing is
 * installed on the host, so the host can have no other version of the script, and the key cannot run anything else.
 */
export function probeCommand(host: string, { hosts }: Rules): string {
  const text = probeSettings(hosts[host] ?? NO_HOST_RULES) + SHELL_MASK + SCRIPT;
  // The user's login shell may be any shell. Its only job is to start this one.
  return `exec sh -c '${text.replaceAll("'", `'\\''`)}'`;
}
