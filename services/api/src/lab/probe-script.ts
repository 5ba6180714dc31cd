import { readFileSync } from 'node:fs';
import { probeSettings, type Rules, NO_HOST_RULES } from '@aish/lab';
import { SHELL_MASK } from '@aish/secrets';

const SCRIPT = readFileSync(new URL('../../scripts/probe.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');

/**
 * What a host is made to run: the whole script, as the one command that its certificate allows. Nothing is installed there, so
 * nothing there can be another version, and the key cannot run anything else.
 */
export function probeCommand(host: string, { hosts }: Rules): string {
  const text = probeSettings(hosts[host] ?? NO_HOST_RULES) + SHELL_MASK + SCRIPT;
  // The user's own shell may be any: it only has to start this one.
  return `exec sh -c '${text.replaceAll("'", `'\\''`)}'`;
}
