import { read } from './classify.js';
import { knownReadOnly } from './known-read-only.js';
import { hostAt } from './named-places.js';
import { HOLE, type Command, type Word } from './shell/command.js';
import type { Span } from './shell/source.js';

/** Programs that run no code of others and access only files, so their words show what they do. */
const PLAIN: ReadonlySet<string> = new Set(
  `: [ [[ base64 basename bunzip2 bzip2 cat cd chgrp chmod chown cksum cmp column comm cp cpio cut date declare df diff
  dirname dos2unix du echo egrep exit expand export expr fallocate false fgrep file fold gunzip gzip head hostname id
  install join jq kill let ln local ls md5sum mkdir mktemp mv nl od paste popd printf pushd pwd read readlink readonly
  realpath return rev rm rmdir seq set sha1sum sha256sum sha512sum shift shred shuf sleep sort split stat strings sum sync
  tac tail tar tee test time timeout nice nohup touch tr tree true truncate type typeset umask uname unexpand uniq unlink unset unxz unzip unzstd
  wait wc which xxd xz yq zcat zip zstd`.split(/\s+/),
);
/** Programs that connect only to the destinations that their words name. */
const REACHING: ReadonlySet<string> = new Set(['curl', 'wget', 'ssh', 'scp', 'sftp', 'rsync', 'ping', 'dig', 'host']);
/** Options that make one of these programs run something else, or read its destination from a file. */
const HIDES =
  /^(?:--(?:to-command|use-compress-program|checkpoint-action|compress-program|unzip-command|rsh|rsync-path|config|input-file|batch|files-from)\b|-TT)/;
const OF_SSH = String.raw`-F|(?:-o\s*)?(?:Proxy\w*|LocalCommand|KnownHostsCommand|\w*Provider)[=\s]`;
const HIDES_OF: Readonly<Record<string, RegExp>> = {
  curl: /^-[a-zA-Z]*K/,
  wget: /^-(?:i|e)|^--(?:execute|use-askpass)/,
  rsync: /^-[a-zA-Z]*e/,
  ssh: new RegExp(`^(?:${OF_SSH})`, 'i'),
  scp: new RegExp(`^(?:-[SD]|${OF_SSH})`, 'i'),
  sftp: new RegExp(`^(?:-[bSD]|${OF_SSH})`, 'i'),
  dig: /^-f/,
  tar: /^-?[a-zA-Z]*[IF]$|^-I/,
};

/**
 * Whether the words of a command show everything that runs and every destination. The command then has no script, no
 * program that loads code, no address from a file, and no part that is known only when it runs. False means only that
 * this is not known. Pure.
 */
export function tellsAll(command: string): boolean {
  return knownReadOnly(command) || (programsOfOthers(command).length === 0 && !hidesWhere(command));
}

function hidesWhere(command: string): boolean {
  const reading = read(command);
  const reaching = 'verdict' in reading ? [] : reading.commands.filter(({ name }) => REACHING.has(name));
  return reaching.some(({ args }) => args.some((word) => word.includes(HOLE)));
}

/**
 * Returns the names of local programs whose code the command does not show. If the command cannot be read, returns the
 * whole command.
 */
export function programsOfOthers(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading || reading.inherits) return [command];
  const hosts = reading.commands.filter(({ name }) => name === 'ssh');
  // Commands on a host are judged on that host.
  const onHost = (span: Span | null) => span !== null && hosts.some((host) => isWithin(span, spanOf(host)));
  // Words before `ssh` belong to the local `ssh`.
  const isGivenOnHost = (span: Span) => hosts.some((host) => isWithin(span, wordsOf(host)));
  const isUnread = reading.gaps.some(({ span }) => !onHost(span));
  if (isUnread || !reading.environment.every(({ name, span }) => OWN_NAME.test(name) || isGivenOnHost(span)))
    return [command];
  const here = reading.commands.filter((each) => hosts.includes(each) || !onHost(spanOf(each)));
  const others = here.filter((each) => !isPlain(each) && !knownReadOnly(textOf(each)));
  return [...new Set(others.map(({ path, name }) => path || name))];
}

/** Matches a variable that only the programs of this text use. */
const OWN_NAME = /^[a-z]\w*(?<!_proxy)$/;

function isPlain({ name, args, path, words, redirections, snippets }: Command): boolean {
  if (path.includes('/') && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(path)) return false;
  if ([...words, ...redirections.map(({ target }) => target)].some((word) => word.process !== undefined)) return false;
  if (words.some((word) => word.text.includes(HOLE) && !isOneValue(word))) return false;
  // The words after the host run there.
  const own = name === 'ssh' ? args.slice(0, hostAt(args)) : args;
  if (args.some((word) => HIDES.test(word)) || own.some((word) => HIDES_OF[name]?.test(word) === true)) return false;
  return name === '' || ((PLAIN.has(name) || REACHING.has(name)) && (snippets.length === 0 || /^[jy]q$/.test(name)));
}

/**
 * Whether a quoted word with variables inside stays one word and is never an option: `"Authorization: Bearer $TOKEN"`.
 */
function isOneValue({ source, pos, end }: Word): boolean {
  return /^"[A-Za-z][^"`\\$]*(?:\$(?:\w+|\{\w+\})[^"`\\$]*)+"$/.test(source.text.slice(pos, end));
}

const spanOf = ({ source, pos, end }: Command): Span => source.spanOf(pos, end);

/** Returns the span from the first word of `ssh` to its end, which includes the host and the command line for it. */
function wordsOf(host: Command): Span {
  const [first] = host.words;
  const [start, end] = spanOf(host);
  return first === undefined ? [end, end] : [Math.max(start, first.source.spanOf(first.pos, first.end)[0]), end];
}

const isWithin = ([from, to]: Span, [start, end]: Span): boolean => from > start && to <= end;

function textOf({ source, pos, end }: Command): string {
  return source.text.slice(pos, end);
}
