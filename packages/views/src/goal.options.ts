import { DEFAULT_STEP_BUDGET, STEP_BUDGET_MAX } from '@aish/contracts/limits';
import type { CreateGoalInput } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { readDuration } from './duration.format.js';

/** Maps each kind of option to the type of its value. */
interface Values {
  readonly text: string;
  readonly count: number;
  readonly time: number;
  readonly names: readonly string[];
  readonly flag: true;
}

/** An option of a goal, for flags and their help. */
export interface GoalOption {
  readonly is: keyof Values;
  /** The name of the option's value; empty for a flag. */
  readonly takes: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly max?: number;
}

/** The options of a goal in addition to its text. Flags, help and the request are generated from them. */
export const GOAL_OPTIONS = {
  steps: {
    is: 'count',
    takes: 'n',
    about: `maximum number of steps (default: from its space, else ${DEFAULT_STEP_BUDGET})`,
    max: STEP_BUDGET_MAX,
  },
  space: { is: 'text', takes: 'name', about: 'space to work in (default: general)' },
  preset: { is: 'text', takes: 'name', about: 'model preset (default: from its space, else fast)' },
  folder: { is: 'names', takes: 'name', about: 'host folder that commands may use; repeatable' },
  host: { is: 'names', takes: 'name', about: 'host that commands may reach over SSH; repeatable' },
  verify: { is: 'text', takes: 'command', about: 'command that must exit 0 at the end (the check)' },
  proposeCheck: { is: 'flag', takes: '', about: 'let the model propose a check first, for your approval' },
  planFirst: { is: 'flag', takes: '', about: 'only look until you have accepted a plan' },
  priority: {
    is: 'text',
    takes: 'priority',
    about: 'priority in the queue (default: normal)',
    choices: ['high', 'normal', 'low'],
  },
  tokens: { is: 'count', takes: 'n', about: 'maximum number of tokens read (uncached) and written' },
  time: { is: 'time', takes: 'time', about: 'maximum working time, such as 30m or 2h' },
  haltAfter: { is: 'time', takes: 'time', about: 'answer a HALT with --halt-verdict after this time' },
  haltVerdict: {
    is: 'text',
    takes: 'verdict',
    about: 'verdict for an unanswered HALT (default: skip)',
    choices: ['skip', 'abort'],
  },
  trust: {
    is: 'text',
    takes: 'trust',
    about: 'undoable: do not ask for what undo can restore (default: ask)',
    choices: ['ask', 'undoable'],
  },
  retry: { is: 'count', takes: 'n', about: 'number of retries if the goal fails and nothing is half done' },
  retryAfter: { is: 'time', takes: 'time', about: 'wait before a retry; doubles each time (default: 1m)' },
  onFailed: { is: 'text', takes: 'goal', about: 'goal to start when the last attempt has failed' },
  paused: { is: 'flag', takes: '', about: 'start paused, to push files before aish resume' },
  fresh: { is: 'flag', takes: '', about: 'start each command in /workspace, without earlier variables' },
} as const satisfies Readonly<Record<string, GoalOption>>;

type Table = typeof GOAL_OPTIONS;
type ValueOf<O> = O extends { readonly choices: readonly (infer C)[] }
  ? C
  : O extends { readonly is: infer K extends keyof Values }
    ? Values[K]
    : never;
/** The options that were given for a goal, by name. */
export type GoalOptions = { readonly [N in keyof Table]?: ValueOf<Table[N]> | undefined };

/** Parses the value of an option that takes one word; undefined if the text is not valid. */
export function readGoalOption({ is, choices, max = Infinity }: GoalOption, text: string): string | number | undefined {
  if (is === 'time') return readDuration(text);
  if (is === 'count') return /^[1-9]\d{0,8}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
  return text === '' || choices?.includes(text) === false ? undefined : text;
}

/** Describes the values that an option accepts. */
export function goalOptionTakes({ is, takes, choices, max }: GoalOption): string {
  if (choices !== undefined) return choices.join(' or ');
  if (is === 'time') return 'a time such as 90s, 30m, 2h or 3d';
  return is === 'count' ? `a whole number ${max === undefined ? 'of at least 1' : `from 1 to ${max}`}` : `a ${takes}`;
}

/**
 * Returns the request for a goal with these options, without its text.
 *
 * @throws AishError `invalid_body`
 */
export function goalRequest(options: GoalOptions): Omit<CreateGoalInput, 'text'> {
  const { steps, space, preset, folder, host, verify, proposeCheck, planFirst, priority, tokens, time, trust, paused } =
    options;
  const { haltAfter, haltVerdict, retry, retryAfter, onFailed, fresh } = options;
  if (haltVerdict !== undefined && haltAfter === undefined) {
    throw new AishError('invalid_body', '--halt-verdict needs --halt-after');
  }
  if (retryAfter !== undefined && retry === undefined)
    throw new AishError('invalid_body', '--retry-after needs --retry');
  return {
    space,
    preset,
    verify,
    proposeCheck,
    planFirst,
    priority,
    trust,
    paused,
    stepBudget: steps,
    tokenBudget: tokens,
    timeBudgetMs: time,
    hostFolders: folder === undefined ? undefined : [...folder],
    hosts: host === undefined ? undefined : [...host],
    carryOver: fresh === undefined ? undefined : false,
    haltExpiry: haltAfter === undefined ? undefined : { afterMs: haltAfter, verdict: haltVerdict ?? 'skip' },
    retry: retry === undefined ? undefined : { times: retry, afterMs: retryAfter },
    onFailed: onFailed === undefined ? undefined : { text: onFailed },
  };
}
