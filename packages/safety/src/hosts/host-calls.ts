import { read } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';
import { HOLE, type Command } from '../shell/command.js';
import { sshRequest, type SshRequest } from './ssh-request.js';

/**
 * Access to another host that the text of a command asks for. `command`: this command line runs there. `files`: files
 * are copied to or from a path there. `push`: git pushes to it.
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

/** What `ssh` is given by a program that copies or pushes, with paths that no shell reads anything into. */
const PLAIN = String.raw`[\w./@:+=,~-]+`;
const SENDS = new RegExp(
  String.raw`^rsync --server --sender -[A-Za-z0-9.]+(?: --(?:numeric-ids|timeout=\d+))* \.(?: ${PLAIN})+$`,
);
const FETCHES = /^git[ -](?:upload-pack|upload-archive) '[^'!]*'$/;

/** Whether what runs on a host reads and prints only. */
export function readsOnlyOnHost({ command, subsystem }: Pick<SshRequest, 'command' | 'subsystem'>): boolean {
  return !subsystem && (SENDS.test(command) || FETCHES.test(command) || knownReadOnly(command));
}

/** What the text of a command asks for on other hosts, as far as the text alone says it. */
export function hostCalls(text: string): readonly HostCall[] {
  const reading = read(text);
  if ('ruleId' in reading) return [];
  return reading.commands.flatMap(callsOf);
}

/**
 * How often the text of a command asks for exactly this on this host, for a person to see: what only evaluating the text would
 * tell is not counted. @param names what the host is called
 */
export function timesCovered(text: string, names: readonly string[], asked: SshRequest): number {
  return hostCalls(text).filter((call) => {
    if (call.kind === 'push') return /^git[ -]receive-pack '[^'!]*'$/.test(asked.command);
    if (!names.includes(call.host)) return false;
    if (call.kind === 'command')
      return !asked.subsystem && call.command === asked.command && shows(text, asked.command);
    if (asked.subsystem) return asked.command === 'sftp';
    return copies(asked.command, call);
  }).length;
}

/** In one piece, as it is or within single quotes. */
function shows(text: string, command: string): boolean {
  return text.includes(command) || text.includes(command.replaceAll("'", `'\\''`));
}

/** `rsync --server … . /path` and `scp -t /path` come from a copy to exactly that path. */
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
    const place = /^(?:[\w.-]+@)?([a-z0-9][a-z0-9.-]*)(?::([^:].*)?)?$/.exec(word);
    // What rsync only fetches is a command there that only reads; sftp, which scp speaks too, could write.
    const fetches = name === 'rsync' && at < args.length - 1 && !deletes;
    if (place === null || (place[2] === undefined && !word.endsWith(':') && name !== 'sftp')) return [];
    return [{ kind: 'files' as const, host: place[1] ?? '', path: place[2] ?? '', deletes, fetches }];
  });
}
