import { randomBytes } from 'node:crypto';
import type { Session } from '../workspaces/session.js';
import { shellScript } from './script.js';

const SCRIPT = shellScript('launcher.sh');
/** Starts the bash that can be executed but not read, if the image has it (image/Dockerfile). */
const CHOOSE = 'for s in /usr/local/lib/aish/bash /bin/bash; do [[ -x $s ]] && exec "$s" -c "$0" "$s"; done';

/** This script replaces one text in a file, for edits by models (scripts/edit.sh). */
const EDIT = shellScript('edit.sh');

/** The command that a launcher runs, with its session and options. */
export interface Task {
  readonly command: string;
  readonly session: Session;
  /** Whether the launcher returns the session at the end. */
  readonly keep: boolean;
  /** Whether the command does not run if the starting folder is gone. */
  readonly strict: boolean;
}

/** Creates the secret in a launcher's marks. A command does not know the secret, so it cannot print it by accident. */
export function newToken(): string {
  return randomBytes(48).toString('hex');
}

/** The command line of every container for commands. It contains neither the secret nor the command. */
export const LAUNCH: readonly string[] = ['bash', '-c', CHOOSE, SCRIPT];

/** Returns the first input of a launcher, which is sent as soon as the launcher runs. */
export function tokenInput(token: string): string {
  return `${token}\0`;
}

/** Returns the input that contains the command. The launcher runs nothing before it has read the last byte. */
export function commandInput({ command, session, keep, strict }: Task): string {
  const flag = (isSet: boolean) => (isSet ? '1' : '0');
  const run = /\baish-edit\b/.test(command) ? `${EDIT}${command}` : command;
  const parts = [flag(keep), session.folder, flag(strict), ...session.variables, '', run];
  return parts.map((part) => `${part}\0`).join('');
}
