import { read } from './classify.js';
import { knownReadOnly } from './known-read-only.js';
import { HOLE, type Command, type Word } from './shell/command.js';
import type { Span } from './shell/source.js';

/** Programs that run no code of others and reach nothing but files: their words say what they do. */
const PLAIN: ReadonlySet<string> = new Set(
  `: [ [[ base64 basename bunzip2 bzip2 cat cd chgrp chmod chown cksum cmp column comm cp cpio cut date declare df diff
  dirname dos2unix du echo egrep exit expand export expr fallocate false fgrep file fold gunzip gzip head hostname id
  install join jq kill let ln local ls md5sum mkdir mktemp mv nl od paste popd printf pushd pwd read readlink readonly
  realpath return rev rm rmdir seq set sha1sum sha256sum sha512sum shift shred shuf sleep sort split stat strings sum sync
  tac tail tar tee test time timeout nice nohup touch tr tree true truncate type typeset umask uname unexpand uniq unlink unset unxz unzip unzstd
  wait wc which xxd xz yq zcat zip zstd`.split(/\s+/),
);
/** Programs that reach out, to what their words name. */
const REACHING: ReadonlySet<string> = new Set(['curl', 'wget', 'ssh', 'scp', 'sftp', 'rsync', 'ping', 'dig', 'host']);
/** What makes one of these run something else, or read from a file where to go. */
const HIDES =
  /^(?:--(?:to-command|use-compress-program|checkpoint-action|compress-program|unzip-command|rsh|rsync-path|config|input-file|batch|files-from)\b|-TT)/;
const HIDES_OF: Readonly<Record<string, RegExp>> = {
  curl: /^-[a-zA-Z]*K/,
  wget: /^-(?:i|e)|^--(?:execute|use-askpass)/,
  rsync: /^-[a-zA-Z]*e/,
  scp: /^-[SDF]/,
  sftp: /^-[bSDF]/,
  tar: /^-?[a-zA-Z]*[IF]$|^-I/,
};

/**
 * Whether the words of a command say all that runs and where it reaches: no script, no program that loads code, no address
 * out of a file, nothing that only running it would tell. Pure; false says no more than that this is not known.
 */
export function tellsAll(command: string): boolean {
  return knownReadOnly(command) || (programsOfOthers(command).length === 0 && !hidesWhere(command));
}

function hidesWhere(command: string): boolean {
  const reading = read(command);
  const reaching = 'verdict' in reading ? [] : reading.commands.filter(({ name }) => REACHING.has(name));
  return reaching.some(({ args }) => args.some((word) => word.includes(HOLE)));
}

/** The programs that a command runs here and whose code its words do not show, by name; all of it where that cannot be read. */
export function programsOfOthers(command: string): readonly string[] {
  const reading = read(command);
  if ('verdict' in reading || reading.inherits) return [command];
  const hosts = reading.commands.filter(({ name }) => name === 'ssh');
  // What runs on a host is judged there.
  const onHost = (span: Span | null) => span !== null && hosts.some((host) => isWithin(span, spanOf(host)));
  const isUnread = reading.gaps.some(({ span }) => !onHost(span));
  if (isUnread || !reading.environment.every(({ name }) => OWN_NAME.test(name))) return [command];
  const here = reading.commands.filter((each) => hosts.includes(each) || !onHost(spanOf(each)));
  const others = here.filter((each) => !isPlain(each) && !knownReadOnly(textOf(each)));
  return [...new Set(others.map(({ path, name }) => path || name))];
}

/** A variable that no program but one of this text looks for. */
const OWN_NAME = /^[a-z]\w*(?<!_proxy)$/;

function isPlain({ name, args, path, words, redirections, snippets }: Command): boolean {
  if (path.includes('/') && !/^(?:\/usr)?\/s?bin\/[^/]+$/.test(path)) return false;
  if ([...words, ...redirections.map(({ target }) => target)].some((word) => word.process !== undefined)) return false;
  if (words.some((word) => word.text.includes(HOLE) && !isOneValue(word))) return false;
  if (args.some((word) => HIDES.test(word) || HIDES_OF[name]?.test(word) === true)) return false;
  return name === '' || ((PLAIN.has(name) || REACHING.has(name)) && (snippets.length === 0 || /^[jy]q$/.test(name)));
}

/** A quoted word with variables inside stays one word, and no option: `"Authorization: Bearer $TOKEN"`. */
function isOneValue({ source, pos, end }: Word): boolean {
  return /^"[A-Za-z][^"`\\$]*(?:\$(?:\w+|\{\w+\})[^"`\\$]*)+"$/.test(source.text.slice(pos, end));
}

const spanOf = ({ source, pos, end }: Command): Span => source.spanOf(pos, end);

const isWithin = ([from, to]: Span, [start, end]: Span): boolean => from > start && to <= end;

function textOf({ source, pos, end }: Command): string {
  return source.text.slice(pos, end);
}
