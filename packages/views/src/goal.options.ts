import { DEFAULT_STEP_BUDGET, STEP_BUDGET_MAX } from '@aish/contracts/limits';
import type { CreateGoalInput } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { readDuration } from './duration.format.js';

/** What an option is, by how it is written. */
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
  /** Name of its value; none of a flag. */
  readonly takes: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly max?: number;
}

/** What can be said of a goal beside its text. Flags, their help and the request are made of this. */
export const GOAL_OPTIONS = {
  steps: {
    is: 'count',
    takes: 'n',
    about: `maximum number of steps (default: its space's, else ${DEFAULT_STEP_BUDGET})`,
    max: STEP_BUDGET_MAX,
  },
  space: { is: 'text', takes: 'name', about: 'space to work in (default: general)' },
  preset: { is: 'text', takes: 'name', about: "model preset (default: its space's, else fast)" },
  folder: { is: 'names', takes: 'name', about: 'host folder that commands may use; repeatable' },
  host: { is: 'names', takes: 'name', about: 'host that commands may reach over SSH; repeatable' },
  verify: { is: 'text', takes: 'command', about: 'check: a command that must exit 0 at the end' },
  proposeCheck: { is: 'flag', takes: '', about: 'let the model propose a check first, which you decide' },
  priority: {
    is: 'text',
    takes: 'priority',
    about: 'which goals a free worker takes first (default: normal)',
    choices: ['high', 'normal', 'low'],
  },
  tokens: { is: 'count', takes: 'n', about: 'maximum number of tokens, read (without the cached ones) and written' },
  time: { is: 'time', takes: 'time', about: 'maximum time at work, as 30m or 2h' },
  haltAfter: { is: 'time', takes: 'time', about: 'answer a HALT with --halt-verdict after this time' },
  haltVerdict: {
    is: 'text',
    takes: 'verdict',
    about: 'verdict that a HALT gets then (default: skip)',
    choices: ['skip', 'abort'],
  },
  trust: {
    is: 'text',
    takes: 'trust',
    about: 'undoable: run what undo can take back unasked (default: ask)',
    choices: ['ask', 'undoable'],
  },
  retry: { is: 'count', takes: 'n', about: 'give it again this often if it fails with nothing half done' },
  retryAfter: { is: 'time', takes: 'time', about: 'wait before the retry; doubles each time (default: 1m)' },
  onFailed: { is: 'text', takes: 'goal', about: 'goal to give when it has failed for good' },
  paused: { is: 'flag', takes: '', about: 'start paused: push files, then aish resume' },
  fresh: { is: 'flag', takes: '', about: 'start each command in /workspace, without earlier variables' },
} as const satisfies Readonly<Record<string, GoalOption>>;

type Table = typeof GOAL_OPTIONS;
type ValueOf<O> = O extends { readonly choices: readonly (infer C)[] }
  ? C
  : O extends { readonly is: infer K extends keyof Values }
    ? Values[K]
    : never;
/** Options of a goal by their names; none that was not given. */
export type GoalOptions = { readonly [N in keyof Table]?: ValueOf<Table[N]> | undefined };

/** What a text says for an option that takes one word; undefined where it is nothing for it. */
export function readGoalOption({ is, choices, max = Infinity }: GoalOption, text: string): string | number | undefined {
  if (is === 'time') return readDuration(text);
  if (is === 'count') return /^[1-9]\d{0,8}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
  return text === '' || choices?.includes(text) === false ? undefined : text;
}

/** What such an option takes, in words. */
export function goalOptionTakes({ is, takes, choices, max }: GoalOption): string {
  if (choices !== undefined) return choices.join(' or ');
  if (is === 'time') return 'a time as 90s, 30m, 2h or 3d';
  return is === 'count' ? `a whole number from 1 ${max === undefined ? 'on' : `to ${max}`}` : `a ${takes}`;
}

/** The request for a goal with these options, without its text. @throws AishError `invalid_body` */
export function goalRequest(options: GoalOptions): Omit<CreateGoalInput, 'text'> {
  const { steps, space, preset, folder, host, verify, proposeCheck, priority, tokens, time, trust, paused } = options;
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
