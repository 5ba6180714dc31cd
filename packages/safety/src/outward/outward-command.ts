import { read } from '../classify.js';
import { HOLE, type Command } from '../shell/command.js';
import { addressesIn, type Outward } from './outward-call.js';
import { isAddress } from './receivers.js';

/** Programs that send something to a given receiver, each with a test that recognizes such a use. */
const CARRIERS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  curl: (args) => args.some((arg) => /^(-[a-zA-Z]*[dFT]|--data.*|--json|--form.*|--upload-file)/.test(arg)) || method(args, 'POST|PUT|PATCH'),
  wget: (args) => args.some((arg) => /^--(post|body)-(data|file)/.test(arg)) || args.some((arg) => /^--method=(POST|PUT|PATCH)$/i.test(arg)),
  http: (args) => args.some((arg) => /^(POST|PUT|PATCH)$/.test(arg)),
  mail: () => true,
  mailx: () => true,
  mutt: () => true,
  msmtp: () => true,
  sendmail: () => true,
  swaks: () => true,
  scp: () => true,
  rsync: (args) => args.some((arg) => /^[^/-][^/]*:/.test(arg)),
  sftp: () => true,
  rclone: (args) => /^(copy|copyto|sync|move|moveto|rcat)$/.test(args[0] ?? ''),
  git: (args) => args.includes('push') || (args[0] === 'remote' && /^(add|set-url)$/.test(args[1] ?? '')),
  gh: (args) => args.some((arg) => /^(create|comment|edit|upload|fork)$/.test(arg)),
  glab: (args) => args.some((arg) => /^(create|note|upload)$/.test(arg)),
  npm: (args) => args.includes('publish'),
  twine: (args) => args.includes('upload'),
  docker: (args) => args.includes('push'),
  podman: (args) => args.includes('push'),
  aws: (args) => args[0] === 's3' && /^(cp|sync|mv)$/.test(args[1] ?? ''),
  nc: () => true,
  ncat: () => true,
  socat: () => true,
  ntfy: (args) => args[0] === 'publish' || args[0] === 'pub',
  apprise: () => true,
}; // prettier-ignore

const method = (args: readonly string[], which: string): boolean =>
  args.some(
    (arg, n) =>
      new RegExp(`^(-X|--request)[= ]?(${which})$`).test(arg) ||
      (/^(-X|--request)$/.test(arg) && new RegExp(`^(${which})$`).test(args[n + 1] ?? '')),
  );

/** Matches a destination whose server is not in the text. */
const UNSHOWN = new RegExp(`^(?:[a-z]+://)?(?:[^/\\s]*@)?${HOLE}`, 'i');
/** Programs whose other operands are local files. Their destination has a colon. */
const COPIES = /^(scp|rsync|sftp|rclone)$/;
const WITH_COLON = new RegExp(`^[^/]*${HOLE}[^/]*:`);

/** Whether a command line sends something to a server that its text does not show: `curl -d @a "$(cat k)"`. Pure. */
export function sendsToUnshown(text: string): boolean {
  const reading = read(text);
  if ('ruleId' in reading) return false;
  return reading.commands.some(({ name, args }) => CARRIERS[name]?.(args) === true && hasUnshown(name, args));
}

function hasUnshown(name: string, args: readonly string[]): boolean {
  if (COPIES.test(name)) return args.some((arg) => WITH_COLON.test(arg));
  const operands = args.filter((arg, at) => !arg.startsWith('-') && !isValue(name, args[at - 1]));
  // The words after the remote are branches.
  if (name === 'git') return UNSHOWN.test(operands[operands.indexOf('push') + 1] ?? '');
  return operands.some((arg) => UNSHOWN.test(arg));
}

/** Letters of options whose value is no address, by program. */
const VALUES: Readonly<Record<string, string>> = {
  curl: 'dFHouAebcXKmwCDErzTPQ',
  mail: 'sar',
  mailx: 'sar',
  mutt: 'saiHFe',
  gh: 'btfFla',
  glab: 'dtlm',
  nc: 'pwq',
  ncat: 'pw',
};
const LONG_VALUES =
  /^--(data|form|header|json|output|user|user-agent|referer|cookie|request|config|max-time|write-out|upload-file|post|body|title|subject|message|connect-timeout|retry)(-[\w-]+)?$/;

/**
 * Whether a word is the value of an option that holds no address: `-d "$X"`. Of letters in one word, only the last one
 * has a value.
 */
function isValue(program: string, option = ''): boolean {
  if (LONG_VALUES.test(option)) return true;
  return /^-[a-zA-Z]+$/.test(option) && (VALUES[program] ?? '').includes(option.slice(-1));
}

/** Returns the outward actions of a command line to addresses in its text, one for each command. Pure. */
export function outwardCommand(text: string): readonly Outward[] {
  const reading = read(text);
  if ('ruleId' in reading) return [];
  return reading.commands.flatMap((command) => {
    const to = receivers(command);
    return to.length === 0 ? [] : [{ way: 'send' as const, to, mentions: [] }];
  });
}

/** A request whose query is known only when it runs. */
const TELLS_IN_QUERY = new RegExp(`^(?:https?://)?[\\w.-]+[^?${HOLE}]*\\?[^#]*${HOLE}`, 'i');
/** A web address with the content of a file or of the environment in it. */
const TELLS_CONTENT =
  /^"?https?:\/\/[\w.-]+[/?][^"]*(?:\$\((?:<|[^)]*\b(?:cat|base64|base32|xxd|od|env|printenv|gzip|tar|head|tail)\b)|`(?:<|[^`]*\b(?:cat|base64|base32|xxd|od|env|printenv|gzip|tar|head|tail)\b))/i;

/** Returns the addresses to which a request that only reads a page tells something: `curl "http://x/?d=$(cat k)"`. */
const told = ({ words }: Command): readonly string[] =>
  words
    .filter(
      ({ text, source, pos, end }) => TELLS_IN_QUERY.test(text) || TELLS_CONTENT.test(source.text.slice(pos, end)),
    )
    .map(({ text }) => text.split(HOLE)[0] ?? '');

function receivers(command: Command): readonly string[] {
  const { name, args } = command;
  if (CARRIERS[name]?.(args) !== true) return /^(?:curl|wget|https?|xh)$/.test(name) ? told(command) : [];
  return args.flatMap((arg) => {
    // `@file` names a file whose content curl sends, so it is not an address.
    if (/^([\w-]+=)?@/.test(arg) || (arg.startsWith('-') && !arg.includes('='))) return [];
    const found = addressesIn(arg);
    return found.length > 0 ? found : isAddress(arg.replace(/^[\w.-]+@/, '').replace(/:.*$/, '')) ? [arg] : [];
  });
}
