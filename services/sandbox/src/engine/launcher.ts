import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Session } from '../workspaces/session.js';

// Beside dist and src alike. Its comments are for its readers, not for every container's command line.
const SCRIPT = readFileSync(new URL('../../scripts/launcher.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');

/** The launcher's exit code when it was given no command. A command may end with it too. */
export const NO_COMMAND = 97;

/** What a launcher is to run. */
export interface Task {
  readonly command: string;
  readonly session: Session;
  /** Whether the session at its end is handed back. */
  readonly keep: boolean;
}

/** Sets the launcher's marks apart from whatever its command prints by accident. */
export function newToken(): string {
  return randomBytes(8).toString('hex');
}

/** What a container runs that knows its command. */
export function launch(token: string, { command, session, keep }: Task): string[] {
  return ['bash', '-c', SCRIPT, 'aish', token, 'run', keep ? '1' : '0', command, session.folder, ...session.variables];
}

/** What a container runs that waits for its command. */
export function launchWaiting(token: string): string[] {
  return ['bash', '-c', SCRIPT, 'aish', token, 'wait'];
}

/** What a waiting launcher reads. It runs nothing before the last byte of it. */
export function handOver({ command, session, keep }: Task): string {
  return [keep ? '1' : '0', session.folder, ...session.variables, '', command].map((part) => `${part}\0`).join('');
}
