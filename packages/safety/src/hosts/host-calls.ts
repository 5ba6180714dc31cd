import { read } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';
import { HOLE, type Command } from '../shell/command.js';
import { sshRequest, type SshRequest } from './ssh-request.js';

/**
 * A request to another host in the text of a command:
 * - `command`: this command line runs there.
 * - `files`: files are copied to or from a path there.
 * - `push`: git pushes to it.
 */
export type HostCall =
  | { readonly kind: 'command'; readonly host: string; readonly command: string }
  | {
      readonly kind: 'files';
      readonly host: string;
      readonly path: string;
      readonly deletes: boolean;
      readonly fetches: boolean;
    }
  | { readonly kind: 'push' };

/** Matches the arguments that programs give `ssh` to copy or push, with paths that a shell does not expand. */
const PLAIN = String.raw`[\w./@:+=,~-]+`;
const SENDS = new RegExp(
  String.raw`^rsync --server --sender -[A-Za-z0-9.]+(?: --(?:numeric-ids|timeout=\d+))* \.(?: ${PLAIN})+$`,
);
const FETCHES = /^git[ -](?:upload-pack|upload-archive) '[^'!]*'$/;

/** Whether a command on a host only reads and prints. */
export function readsOnlyOnHost({ command, subsystem }: Pick<SshRequest, 'command' | 'subsystem'>): boolean {
  return !subsystem && (SENDS.test(command) || FETCHES.test(command) || knownReadOnly(command));
}

/** Returns every request to other hosts that the text of a command shows. */
export function hostCalls(text: string): readonly HostCall[] {
  const reading = read(text);
  if ('ruleId' in reading) return [];
  return reading.commands.flatMap(callsOf);
}

/**
 * Counts how often the text of a command makes exactly this request to this host. The decision about the command shows
 * these requests in their final form, with the values of loops and variables filled in. Requests whose words are known
 * only when the command runs do not count.
 *
 * @param names the names of the host
 */
export function timesCovered(text: string, names: readonly string[], asked: SshRequest): number {
  return hostCalls(text).filter((call) => {
    if (call.kind === 'push') return /^git[ -]receive-pack '[^'!]*'$/.test(asked.command);
    if (!names.includes(call.host)) return false;
    if (call.kind === 'command') return !asked.subsystem && call.command === asked.command;
    if (asked.subsystem) return asked.command === 'sftp';
    return copies(asked.command, call);
  }).length;
}

/** Whether `rsync --server … . /path` or `scp -t /path` comes from a copy to exactly that path. */
function copies(command: string, { path, deletes }: Extract<HostCall, { kind: 'files' }>): boolean {
  const words = command.split(' ');
  if (words.at(-1) !== path || !new RegExp(`^${PLAIN}$`).test(path)) return false;
  if (words[0] === 'scp') return words.slice(1, -1).every((word) => /^-[a-zA-Z]+$/.test(word));
  const options = words.slice(2, -2);
  const isRsync = words[0] === 'rsync' && words[1] === '--server' && words.at(-2) === '.';
  const isPlain = options.every((word) => new RegExp(`^--?${PLAIN}$`).test(word));
  return isRsync && isPlain && (deletes || !options.some((word) => /^--(delete|remove)/.test(word)));
}

function callsOf({ name, args }: Command): readonly HostCall[] {
  if (args.some((word) => word.includes(HOLE))) return [];
  if (name === 'ssh') {
    const asked = sshRequest(args);
    if ('refused' in asked) return [];
    if (asked.subsystem) return [{ kind: 'files', host: asked.host, path: '', deletes: true, fetches: false }];
    return [{ kind: 'command', host: asked.host, command: asked.command }];
  }
  if (name === 'git') return args.includes('push') ? [{ kind: 'push' }] : [];
  if (!['scp', 'sftp', 'rsync'].includes(name)) return [];
  const deletes = args.some((word) => /^--(del|remove)/.test(word));
  return args.flatMap((word, at) => {
    // This address means an rsync daemon, which is not reached over SSH.
    if (word.startsWith('rsync://')) return [];
    const place = /^(?:[\w.-]+@)?([a-z0-9][a-z0-9.-]*)(?::([^:].*)?)?$/.exec(word);
    // If rsync only fetches, its command on the host only reads. scp does not count, because it uses sftp, which could
    // also write.
    const fetches = name === 'rsync' && at < args.length - 1 && !deletes;
    if (place === null || (place[2] === undefined && !word.endsWith(':') && name !== 'sftp')) return [];
    return [{ kind: 'files' as const, host: place[1] ?? '', path: place[2] ?? '', deletes, fetches }];
  });
}
