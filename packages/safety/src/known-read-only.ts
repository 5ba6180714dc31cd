import type { Command } from './shell/command.js';
import { classify, read } from './classify.js';
import { argumentsOf } from './rules/arguments.js';
import { isSink } from './rules/paths.js';
import { fits } from './rules/pattern.js';
import { areHarmless, readsOnly } from './rules/programs.js';
import { READ_ONLY, RUNS_ONLY } from './rules/read-only.js';
import { readsOnlyAwk, readsOnlySed } from './rules/read-only-code.js';
import type { Variable } from './shell/reading.js';
import { SHELLS } from './shell/shells.js';
import { unwrap } from './shell/unwrap.js';
import { WRAPPERS } from './shell/wrappers.js';

/**
 * Whether every command that `command` could run is one that is known to read and print only, and nothing is written
 * anywhere. Then nobody else needs to be asked about it. False says no more than that this is not known: it is a list of
 * programs, their options and the variables they are given, and what is not on it is not known.
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

/** What a program is given through its environment: its language, its terminal, and a pager that only shows. */
const isHarmlessVariable = ({ name, value }: Variable): boolean =>
  /^(LC_\w+|LANG|LANGUAGE|TZ|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|CLICOLOR(_FORCE)?|FORCE_COLOR|POSIXLY_CORRECT|[a-z]\w*(?<!_proxy))$/.test(
    name,
  ) ||
  (/^\w*PAGER$/.test(name) && /^(cat|less|more|)$/.test(value));

function onlyReads(c: Command): boolean {
  const writes = c.redirections.some(
    ({ operator, target }) => operator.includes('>') && !isSink(target.text) && !/^(\d+-?|-)$/.test(target.text),
  );
  // Reading without an end takes the machine all the same.
  if (writes || c.facts.unpacedLoop || !isOfTheSystem(c.path)) return false;
  if (c.name === '' || asksForHelp(c)) return c.snippets.length === 0;
  // What these run is in the reading too, and is judged there.
  if (WRAPPERS.has(c.name)) return runsOnly(c) || readsAsListed(c);
  if (SHELLS.has(c.name)) return runsWords(c);
  return c.snippets.every(isHarmlessCode) && (readsAsListed(c) || readsOnly(c, argumentsOf(c)));
}

/** A program in another folder may be another program. */
const isOfTheSystem = (path: string): boolean => !path.includes('/') || /^(\/usr(\/local)?)?\/s?bin\/[^/]+$/.test(path);

const asksForHelp = (c: Command): boolean =>
  c.args.length === 1 && /^(--help|--version|-V|-version)$/.test(c.args[0] ?? '') && c.name !== 'make';

const isHarmlessCode = (snippet: Command['snippets'][number]): boolean =>
  snippet.language === 'awk' ? readsOnlyAwk(snippet) : snippet.language === 'sed' && readsOnlySed(snippet.text);

function readsAsListed(c: Command): boolean {
  const known = READ_ONLY.get(c.name);
  if (known === undefined) return false;
  const { operands, options } = argumentsOf(/^(find|gfind|bfs)$/.test(c.name) ? withoutInner(c) : c);
  // What it reads goes to the other side.
  if (c.name === 'openssl' && operands[0] === 's_client' && c.input.kind !== 'none') return false;
  if (READS_COMMANDS.test(c.name) && operands.some((text) => /^(@|\+(?![GF\d/]))/.test(text))) return false;
  if (known.patterns.length === 0) return areHarmless(options, known.harmless);
  return known.patterns.some((pattern) => fits(pattern, c, operands) && areHarmless(options, known.harmless, pattern));
}

/** `less +s` saves a file, and `nm @f` takes its options from one. */
const READS_COMMANDS = /^(z?less|[bx]zless|z?more|most|man|nm|objdump|size|addr2line)$/;

/** `find` without the commands that it runs. */
function withoutInner(c: Command): Command {
  let inside = false;
  const words = c.words.filter(({ text }) => {
    const was = inside;
    inside = was ? text !== ';' && text !== '+' : /^-exec(dir)?$/.test(text);
    return !was;
  });
  return { ...c, words };
}

/** `sudo -n ls`: the options before the command are the wrapper's own. */
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

/** `bash -c 'ls'`, with no option that makes it read something else. */
function runsWords(c: Command): boolean {
  const at = c.args.findIndex((arg) => /^-[leuxn]*c$/.test(arg));
  return (
    at !== -1 && c.input.kind === 'none' && c.args.slice(0, at).every((arg) => /^(-[leuxn]+|--norc|--noprofile|--login)$/.test(arg))
  ); // prettier-ignore
}
