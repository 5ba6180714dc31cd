import type { Finding } from '@aish/contracts/safety';
import { HOLE, type Command, type Word } from './shell/command.js';
import { classify, read } from './classify.js';
import { argumentsOf } from './rules/arguments.js';
import { isSink } from './rules/paths.js';
import { fits } from './rules/pattern.js';
import { areHarmless, readsOnly } from './rules/programs.js';
import { READ_ONLY, RUNS_ONLY } from './rules/read-only.js';
import { readsOnlyAwk, readsOnlySed } from './rules/read-only-code.js';
import { curlReads } from './rules/read-only-curl.js';
import { psqlReads, sqliteReads } from './rules/read-only-sql.js';
import type { Variable } from './shell/reading.js';
import { SHELLS } from './shell/shells.js';
import { unwrap } from './shell/unwrap.js';
import { WRAPPERS } from './shell/wrappers.js';
import { looksUpUnknown } from './unknown-servers.js';

/**
 * Whether every command that `command` could run is known to only read and print, and nothing is written anywhere. If
 * so, no other check is needed. False means only that this is not known. The knowledge consists of a list of programs,
 * with their options and variables. Everything else is unknown.
 */
export function knownReadOnly(command: string): boolean {
  const reading = read(command);
  if ('verdict' in reading || reading.gaps.length > 0 || reading.commands.length === 0) return false;
  return (
    !reading.inherits &&
    reading.environment.every(isHarmlessVariable) &&
    reading.commands.every(onlyReads) &&
    classify(command).verdict === 'safe'
  );
}

/**
 * Whether every command of a text only reads, or has one of these findings. If so, nothing else in the text changes
 * anything. Pure.
 */
export function onlyFound(command: string, findings: readonly Pick<Finding, 'span'>[]): boolean {
  const reading = read(command);
  if ('verdict' in reading) return false;
  return reading.commands.every((each) => {
    const [start, end] = each.source.spanOf(each.pos, each.end);
    return onlyReads(each) || findings.some(({ span }) => span !== null && span[0] < end && span[1] > start);
  });
}

/** Harmless environment variables: language, terminal, and a pager that only shows. */
const isHarmlessVariable = ({ name, value }: Variable): boolean =>
  /^(LC_\w+|LANG|LANGUAGE|TZ|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|CLICOLOR(_FORCE)?|FORCE_COLOR|POSIXLY_CORRECT|[a-z]\w*(?<!_proxy))$/.test(
    name,
  ) ||
  (/^\w*PAGER$/.test(name) && /^(cat|less|more|)$/.test(value));

export function onlyReads(c: Command): boolean {
  const writes = c.redirections.some(
    ({ operator, target }) => operator.includes('>') && !isSink(target.text) && !/^(\d+-?|-)$/.test(target.text),
  );
  // A loop that reads forever still exhausts the machine.
  if (writes || c.facts.unpacedLoop || !isOfTheSystem(c.path)) return false;
  if (c.name === '' || asksForHelp(c)) return c.snippets.length === 0;
  if (looksUpUnknown(c)) return false;
  // The commands that these programs run are also in the reading, and are judged there.
  if (WRAPPERS.has(c.name)) return runsOnly(c) || readsAsListed(c);
  if (SHELLS.has(c.name)) return runsWords(c);
  if (c.name === 'psql') return psqlReads(c, argumentsOf(c));
  if (c.name === 'sqlite3') return sqliteReads(c);
  if (c.name === 'curl') return curlReads(c);
  return c.snippets.every(isHarmlessCode) && (readsAsListed(c) || readsOnly(c, argumentsOf(c)));
}

/**
 * Whether the path is that of a system program. A program with the same name in another folder may do something else.
 */
const isOfTheSystem = (path: string): boolean => !path.includes('/') || /^(\/usr(\/local)?)?\/s?bin\/[^/]+$/.test(path);

const asksForHelp = (c: Command): boolean =>
  c.args.length === 1 && /^(--help|--version|-V|-version)$/.test(c.args[0] ?? '') && c.name !== 'make';

const isHarmlessCode = (snippet: Command['snippets'][number]): boolean =>
  snippet.language === 'awk' ? readsOnlyAwk(snippet) : snippet.language === 'sed' && readsOnlySed(snippet.text);

function readsAsListed(c: Command): boolean {
  const known = READ_ONLY.get(c.name);
  if (known === undefined) return false;
  const { operands, options } = argumentsOf(/^(find|gfind|bfs)$/.test(c.name) ? withoutInner(c) : c);
  // `openssl s_client` sends its input to the server.
  if (c.name === 'openssl' && operands[0] === 's_client' && c.input.kind !== 'none') return false;
  if (READS_COMMANDS.test(c.name) && operands.some((text) => /^(@|\+(?![GF\d/]))/.test(text))) return false;
  if (WRITES_BY_OPTION.test(c.name) && c.words.some(mayBeOption)) return false;
  if (known.patterns.length === 0) return areHarmless(options, known.harmless);
  return known.patterns.some((pattern) => fits(pattern, c, operands) && areHarmless(options, known.harmless, pattern));
}

/** Programs with an option that writes, deletes, disconnects or runs something. */
const WRITES_BY_OPTION = /^(sort|tree|ss|dmesg|g?find|bfs|less|more|most|man|bat|batcat|rg|sar)$/;

/** Whether a word may turn out to be an option when the command runs, because its beginning is not in the text. */
const mayBeOption = ({ text }: Word): boolean => text.startsWith(HOLE);

/** `less +s` saves a file, and `nm @f` reads its options from a file. */
const READS_COMMANDS = /^(z?less|[bx]zless|z?more|most|man|nm|objdump|size|addr2line)$/;

/** Returns `find` without the commands that it runs. */
function withoutInner(c: Command): Command {
  let inside = false;
  const words = c.words.filter(({ text }) => {
    const was = inside;
    inside = was ? text !== ';' && text !== '+' : /^-exec(dir)?$/.test(text);
    return !was;
  });
  return { ...c, words };
}

/** Whether the options before the command belong to the wrapper, as in `sudo -n ls`. */
function runsOnly(c: Command): boolean {
  const [wrapper, known] = [WRAPPERS.get(c.name), RUNS_ONLY.get(c.name)];
  if (wrapper === undefined || known === undefined || c.args.length === 0 || c.input.kind === 'text') return false;
  if (c.input.kind !== 'none' && c.name !== 'xargs') return false;
  const own = c.args.slice(0, c.args.length - unwrap([{ text: c.name }, ...c.words], wrapper).words.length);
  const values = new Set(`${wrapper.values ?? ''} ${wrapper.code ?? ''}`.split(' '));
  const isValue = (at: number): boolean => values.has(own[at - 1] ?? 'none');
  const options = own.filter((text, at) => text.startsWith('-') && text !== '-' && text !== '--' && !isValue(at));
  return (
    areHarmless(options, known.harmless) && own.every((text, at) => own[at - 1] !== '-o' || isHarmlessSetting(text))
  );
}

/** Settings of ssh that neither run nor open anything. */
const isHarmlessSetting = (text: string): boolean =>
  /^(BatchMode|ConnectTimeout|ConnectionAttempts|StrictHostKeyChecking|LogLevel|ServerAlive\w+)=\w+$/.test(text);

/** Whether the command has the form `bash -c 'ls'`, without an option that makes the shell read something else. */
function runsWords(c: Command): boolean {
  const at = c.args.findIndex((arg) => /^-[leuxn]*c$/.test(arg));
  return (
    at !== -1 && c.input.kind === 'none' && c.args.slice(0, at).every((arg) => /^(-[leuxn]+|--norc|--noprofile|--login)$/.test(arg))
  ); // prettier-ignore
}
