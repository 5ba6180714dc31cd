import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Classification } from '@aish/contracts/safety';
import type { Trust } from '@aish/contracts/trust';
import { read } from './classify.js';
import { asksAboutFiles, asksAboutMore, dropsTable } from './first-patterns.js';
import { isHarmless } from './rules/arguments.js';

/** The facts about where a command runs. They decide when a person is asked about it. */
export interface Ground {
  /**
   * Whether the command can change only files, and these changes are held. Such a command has no network, host, tool,
   * or folder with mode `direct`.
   */
  readonly isClosed: boolean;
  readonly trust?: Trust;
  /**
   * The owner's own rules. A command that matches one of them always waits for a person. The rule's ID does not matter.
   */
  readonly rules?: readonly Pick<UserRule, 'id'>[];
}

/** When a person is asked about a command. */
export interface Timing {
  /** Whether a person is asked before the command runs. */
  readonly asks: boolean;
  /** Whether the command runs in its own layer, with a question afterwards if it destroyed something. */
  readonly after: boolean;
}

/**
 * Rules about things that belong to a closed command alone: its files, and the processes, services, accounts and
 * settings of its container. For the files, the changes show more than the words of the command. No other command
 * shares the container, and it is removed when the command ends.
 */
const OF_ITS_OWN =
  /^(files|edit|git|scm|redirect|code|sync|unresolved|process|service|package|account|permission|kernel|desktop|schedule)\.|^(disk\.dd|generic\.task|generic\.destructive-word|database\.(statement|bare-statement|run-file))$/;
/** Exceptions to those rules. For these, only the words of the command can decide. */
const OF_MORE: ReadonlySet<string> = new Set([
  'code.debugger',
  'git.push-force',
  'redirect.device',
  'unresolved.too-many',
]);
const LOOPBACK = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i;

/**
 * Decides when a person is asked about `command`, which the rules classify as `classification`. In a closed workspace,
 * a person is asked first about the patterns of `first-patterns.ts`, about the owner's own rules, and about commands
 * that affect something outside of the container or exhaust the machine. Every other command runs, and its changes
 * decide whether a person is asked afterwards. In any other workspace, the words decide. Pure.
 */
export function whenAsked(command: string, classification: Classification, ground: Ground): Timing {
  const asks = ground.isClosed ? asksFirst(command, classification, ground) : classification.verdict !== 'safe';
  return { asks, after: ground.isClosed && !asks };
}

function asksFirst(command: string, found: Classification, { trust = 'ask', rules = [] }: Ground): boolean {
  const { verdict, by, ruleId, others = [] } = found;
  if (verdict === 'safe') return false;
  if (by !== 'rule') return true;
  const own = new Set(rules.map(({ id }) => id));
  const ids = [ruleId, ...others.map((other) => other.ruleId)];
  const isOwn = (id: string) => OF_ITS_OWN.test(id) || (id === 'http.delete' && asksItself(command));
  if (ids.some((id) => id === null || own.has(id) || OF_MORE.has(id) || !isOwn(id))) return true;
  const runsStatements = ids.some((id) => /^(database|code)\./.test(id ?? ''));
  return namesPattern(command, trust, runsStatements ? 'anywhere' : 'start');
}

/** Whether every request in the text goes to a server that runs in the command's own container. */
function asksItself(command: string): boolean {
  const reading = read(command);
  if ('ruleId' in reading) return false;
  const asking = reading.commands.filter(({ name }) => /^(curl|wget|https?|xh)$/.test(name));
  return (
    asking.length > 0 &&
    asking.every(({ args }) => {
      const to = args.filter((arg) => /^https?:\/\//i.test(arg) || LOOPBACK.test(arg));
      return to.length > 0 && to.every((arg) => LOOPBACK.test(arg));
    })
  );
}

/**
 * Whether a command in the text matches a pattern of `first-patterns.ts`. If undoable commands are trusted, the patterns
 * about files are skipped.
 */
function namesPattern(command: string, trust: Trust, statements: 'start' | 'anywhere'): boolean {
  const reading = read(command);
  if ('ruleId' in reading) return asksAboutMore(command, 'anywhere') || asksAboutFiles(command, 'anywhere');
  return reading.commands.some((each) => {
    const words = [each.name, ...each.args].join(' ');
    if (asksAboutMore(words, 'start') || (statements === 'anywhere' && dropsTable(words))) return true;
    return trust === 'ask' && asksAboutFiles(words, 'start') && (each.name === 'find' || !isHarmless(each));
  });
}
