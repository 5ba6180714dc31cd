import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Classification } from '@aish/contracts/safety';
import type { Trust } from '@aish/contracts/trust';
import { read } from './classify.js';
import { asksAboutFiles, asksAboutMore, dropsTable } from './first-patterns.js';
import { isHarmless } from './rules/arguments.js';

/** Where a command would run, as far as it matters for when a person is asked. */
export interface Ground {
  /** It can change nothing but files whose changes are held: no network, host, tool, or folder with mode `direct`. */
  readonly isClosed: boolean;
  readonly trust?: Trust;
  /**
   * The owner's own rules. A command that matches one of them always waits for a person. The rule's ID does not matter.
   */
  readonly rules?: readonly Pick<UserRule, 'id'>[];
}

/** When a person is asked about a command. */
export interface Timing {
  /** Before it runs. */
  readonly asks: boolean;
  /** It runs in a layer of its own, and a person is asked afterwards if it destroyed something. */
  readonly after: boolean;
}

/**
 * Rules about what a closed command has for itself: its files, whose changes tell more, and the processes, services,
 * accounts and settings of a container that no other command shares and that ends with it.
 */
const OF_ITS_OWN =
  /^(files|edit|git|scm|redirect|code|sync|unresolved|process|service|package|account|permission|kernel|desktop|schedule)\.|^(disk\.dd|generic\.task|generic\.destructive-word|database\.(statement|bare-statement|run-file))$/;
/** Of these the words alone tell. */
const OF_MORE: ReadonlySet<string> = new Set([
  'code.debugger',
  'git.push-force',
  'redirect.device',
  'unresolved.too-many',
]);
const LOOPBACK = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i;

/**
 * When a person is asked about `command`, of which the rules say `classification`. In a closed workspace three things
 * ask first: the patterns of the Phase 3 manifest, the owner's own rules, and what is for something outside of its
 * container, or uses the machine up. Everything else runs there, and its changes decide. Elsewhere the words decide. Pure.
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

/** Whether every request of the text is for a server in its own container. */
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

/** Whether a command in the text has one of the manifest's patterns; trust in what can be undone waives those about files. */
function namesPattern(command: string, trust: Trust, statements: 'start' | 'anywhere'): boolean {
  const reading = read(command);
  if ('ruleId' in reading) return asksAboutMore(command, 'anywhere') || asksAboutFiles(command, 'anywhere');
  return reading.commands.some((each) => {
    const words = [each.name, ...each.args].join(' ');
    if (asksAboutMore(words, 'start') || (statements === 'anywhere' && dropsTable(words))) return true;
    return trust === 'ask' && asksAboutFiles(words, 'start') && (each.name === 'find' || !isHarmless(each));
  });
}
