import type { UserRule } from '@aish/contracts/config/user-rules';
import type { Classification } from '@aish/contracts/safety';
import type { Trust } from '@aish/contracts/trust';
import { read } from './classify.js';
import { asksAboutFiles, asksAboutMore } from './first-patterns.js';
import { isHarmless } from './rules/arguments.js';

/** Where a command would run, as far as it matters for when a person is asked. */
export interface Ground {
  /** It can change nothing but files whose changes are held: no network, host, tool, or folder with mode `direct`. */
  readonly isClosed: boolean;
  readonly trust?: Trust;
  /** The owner's own rules: what one of them stops is stopped everywhere, whatever its id. */
  readonly rules?: readonly Pick<UserRule, 'id'>[];
}

/** When a person is asked about a command. */
export interface Timing {
  /** Before it runs. */
  readonly asks: boolean;
  /** It runs in a layer of its own, and a person is asked afterwards if it destroyed something. */
  readonly after: boolean;
}

/** Rules about changes to files of the workspace, and texts that cannot be read to their end: the changes tell more. */
const OF_FILES =
  /^(files|edit|git|scm|redirect|code|sync|unresolved)\.|^(permission\.mode|disk\.dd|package\.language|generic\.task|generic\.destructive-word)$/;
/** Of these the words alone tell: they change no files, or more than files. */
const OF_MORE: ReadonlySet<string> = new Set([
  'code.debugger',
  'code.inner-statement',
  'code.sqlite-command',
  'edit.accounts',
  'git.push-force',
  'redirect.device',
  'redirect.system',
  'unresolved.too-many',
]);

/**
 * When a person is asked about `command`, of which the rules say `classification`. In a closed workspace three things
 * ask first: the patterns of the Phase 3 manifest, the owner's own rules, and what changes more than files of the
 * workspace. Everything else runs there, and its changes decide. Elsewhere the words decide. Pure.
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
  if (ids.some((id) => id === null || own.has(id) || OF_MORE.has(id) || !OF_FILES.test(id))) return true;
  return namesPattern(command, trust);
}

/** Whether a command in the text has one of the manifest's patterns; trust in what can be undone waives those about files. */
function namesPattern(command: string, trust: Trust): boolean {
  const reading = read(command);
  if ('ruleId' in reading) return asksAboutMore(command, 'anywhere') || asksAboutFiles(command, 'anywhere');
  return reading.commands.some((each) => {
    const words = [each.name, ...each.args].join(' ');
    if (asksAboutMore(words, 'start')) return true;
    return trust === 'ask' && asksAboutFiles(words, 'start') && (each.name === 'find' || !isHarmless(each));
  });
}
