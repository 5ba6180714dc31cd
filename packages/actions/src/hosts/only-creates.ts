import { listHosts } from '@aish/database/hosts.repository';
import { boundFiles, createsOnHost, hostCalls, readsOnlyOnHost } from '@aish/safety';
import type { ActionContext, ActionPorts } from '../context.js';
import { readOnHost, type Asked } from './look-at-scripts.js';
import { quoted } from './script-check.js';

/**
 * Fails unless it is certain that nothing exists at a path, not even a link, and that no link leads elsewhere. A path
 * that ends with `/` is a folder, which may exist but must be empty. Runs under dash, bash and BusyBox.
 */
const FREE = String.raw`free() { p=$1; case $p in */) [ -L "${'$'}{p%/}" ] && return 1; [ ! -d "$p" ] || { x=$(ls -A "$p") && [ -z "$x" ] || return 1; } ;; *) [ ! -e "$p" ] && [ ! -L "$p" ] || return 1 ;; esac; while [ ! -e "$p" ] && [ ! -L "$p" ]; do case $p in */*) p=${'$'}{p%/*}; [ -n "$p" ] || p=/ ;; *) p=. ;; esac; done; [ -d "$p" ] && [ -x "$p" ] && (cd -- "$p" && [ "$(pwd -L)" = "$(pwd -P)" ]); }`;
const NOTHING = 'nothing there';

/** Returns the command with which a host says whether nothing exists at these paths. It writes nothing. */
export function freeCommand(paths: readonly string[]): string {
  const text = `${FREE}\nfor f; do free "$f" || exit 1; done; echo '${NOTHING}'`;
  return `exec sh -c ${quoted(text)} sh ${paths.map(quoted).join(' ')}`;
}

/**
 * Returns the command line with a check in front, so that it runs only if nothing exists at the paths yet. The check
 * and the command share one connection and one shell. The shell itself then refuses to overwrite a file with `>`, even
 * one that appears later. `tee`, `cp` and programs that unpack do not have this second protection.
 */
export function creatingCommand(command: string, paths: readonly string[]): string {
  const text = `${FREE}\nfor f; do free "$f" || { echo "aish: there is something at $f now; nothing ran" >&2; exit 1; }; done`;
  return `sh -c ${quoted(text)} sh ${paths.map(quoted).join(' ')} </dev/null || exit 126; set -C || exit 126; ${command}`;
}

/** A command line that only reads and creates files on its hosts. */
export interface OnlyCreates {
  /** The line with `true` in place of the commands that create files, so that the rest of it can be judged. */
  readonly rest: string;
}

/** Whether the text after this beginning of a line is the command of an `ssh`. */
function isForSsh(before: string): boolean {
  return /(^|[\s;|&(])ssh\s[^;|&()<>`$'"\n]*['"]?$/.test(before.replaceAll(/\$\w+/g, 'host'));
}

/**
 * Asks the hosts of a command line whether the paths that its commands create there are free. Null if the line does
 * anything else on a host, if something exists at a path, or if a host does not answer.
 *
 * @param action must not have been approved.
 */
export async function onlyCreates(
  action: Asked,
  context: ActionContext,
  { db, hosts: hostPorts }: Pick<ActionPorts, 'db' | 'hosts'>,
  signal: AbortSignal,
): Promise<OnlyCreates | null> {
  if (hostPorts === undefined || context.hosts.length === 0) return null;
  // If a file feeds a command on a host, a person must see that file.
  if (boundFiles(action.command).some(({ use, path }) => use === 'feeds' && path !== '/dev/null')) return null;
  const wanted: { readonly host: string; readonly paths: readonly string[] }[] = [];
  let rest = action.command;
  for (const call of hostCalls(action.command)) {
    if (call.kind !== 'command') {
      if (call.kind === 'files' && call.fetches) continue;
      return null;
    }
    if (readsOnlyOnHost({ command: call.command, subsystem: false })) continue;
    const paths = createsOnHost(call.command);
    const pieces = action.command.split(call.command);
    // If the same words also occur elsewhere in the line, for example in a variable, they might also run outside of the
    // host.
    if (paths === null || pieces.length !== 2 || !isForSsh(pieces[0] ?? '')) return null;
    rest = rest.split(call.command).join('true');
    wanted.push({ host: call.host, paths });
  }
  if (wanted.length === 0) return null;
  const rows = (await listHosts(db.statements)).filter(({ name }) => context.hosts.includes(name));
  const answers = await Promise.all(
    wanted.map(async ({ host: named, paths }) => {
      const row = rows.find(({ name, address }) => name === named || address === named);
      // The question about a change on a host must also show the command that runs before it.
      if (row === undefined || row.keys.length === 0 || row.prelude !== null) return false;
      if (paths.length === 0) return true;
      const answer = await readOnHost(row, freeCommand(paths), paths, action, context, hostPorts, signal);
      return answer.trim() === NOTHING;
    }),
  );
  return answers.every(Boolean) ? { rest } : null;
}
