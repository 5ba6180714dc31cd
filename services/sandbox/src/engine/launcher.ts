import { randomBytes } from 'node:crypto';
import type { Session } from '../workspaces/session.js';
import { shellScript } from './script.js';

const SCRIPT = shellScript('launcher.sh');
/** Becomes the bash that may be run and not read, where the image has it (image/Dockerfile). */
const CHOOSE = 'for s in /usr/local/lib/aish/bash /bin/bash; do [[ -x $s ]] && exec "$s" -c "$0" "$s"; done';

/** Replaces one text in a file: what the edits of models run (scripts/edit.sh). */
const EDIT = shellScript('edit.sh');

/** What a launcher is to run. */
export interface Task {
  readonly command: string;
  readonly session: Session;
  /** Whether the session at its end is handed back. */
  readonly keep: boolean;
  /** Whether nothing is to run when the folder that it begins in is gone. */
  readonly strict: boolean;
}

/** What a launcher marks its words with: no command can know it, or print them by accident. */
export function newToken(): string {
  return randomBytes(48).toString('hex');
}

/** What every container of a command runs. Neither its secret nor its command stand on the command line. */
export const LAUNCH: readonly string[] = ['bash', '-c', CHOOSE, SCRIPT];

/** What a launcher is told first, as soon as it runs. */
export function greet(token: string): string {
  return `${token}\0`;
}

/** What it is told when there is a command. It runs nothing before the last byte of it. */
export function handOver({ command, session, keep, strict }: Task): string {
  const flag = (isSet: boolean) => (isSet ? '1' : '0');
  const run = /\baish-edit\b/.test(command) ? `${EDIT}${command}` : command;
  const parts = [flag(keep), session.folder, flag(strict), ...session.variables, '', run];
  return parts.map((part) => `${part}\0`).join('');
}
