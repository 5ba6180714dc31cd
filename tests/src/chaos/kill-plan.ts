import type { Boundary, IntakeBoundary } from '@aish/actions';

/**
 * The process that runs the goal, or handles the event, is killed when it passes this boundary for the nth time since
 * the last kill.
 */
export interface Kill {
  readonly at: Boundary | IntakeBoundary;
  readonly pass: number;
  /** If set, only the process with this ID is killed. */
  readonly pid?: number;
}

/** The prefix of plans for the next goal. */
export const NEXT_PLAN = 'next-';

/** The kind of goal, which decides the script of its model. */
export type KilledGoal = 'plain' | 'halts' | 'waits' | 'holds';

/** The result of a goal whose worker was killed. Only these values depend on the boundary. */
export interface Outcome {
  /** The total number of model requests. Without a kill it is 3. */
  readonly asked: number;
  /** The number of times that the first command ran. */
  readonly ran: 0 | 1;
  /** The final state of the first command. */
  readonly ends: 'finished' | 'lost';
}

export interface KillPoint extends Outcome {
  readonly goal: KilledGoal;
  /** A description of the boundary for people. */
  readonly when: string;
  readonly kills: readonly Kill[];
  /** A description of the next worker's actions. */
  readonly next: string;
}

const NOTHING_LOST = { asked: 3, ran: 1, ends: 'finished' } as const;
const at = (boundary: Boundary, pass = 1): Kill => ({ at: boundary, pass });

const one = (
  goal: KilledGoal,
  kill: Kill | [Kill, Kill],
  when: string,
  next: string,
  outcome: Partial<Outcome> = {},
): KillPoint => ({ goal, kills: Array.isArray(kill) ? kill : [kill], when, next, ...NOTHING_LOST, ...outcome });

const BEGINS = 'starts the goal';
const ASKS = 'asks the model for the step';
const ASKS_AGAIN = 'asks the model for the same step again';
const CLASSIFIES = 'has the command judged';
const CLASSIFIES_AGAIN = 'has the command judged again';
const IS_LOST = 'asks the sandbox, which never got the command: the command is lost, and the model learns this';
const TAKES_OVER = 'asks the sandbox, waits for the running command and takes its result';
const TAKES_OVER_HELD = 'takes the result from the sandbox, then asks the person';
const SETTLES = 'sends the verdict to the sandbox, again if necessary';
const NEXT_STEP = 'continues with the next step';
const NOTHING = 'has nothing to do';

/** Every boundary. A boundary that is passed several times has an entry for each occasion. */
export const KILL_POINTS: readonly KillPoint[] = [
  one('plain', at('job.taken'), 'the worker has taken the job', BEGINS),
  one('plain', at('lock.held'), 'the worker has the lock', BEGINS),
  one('plain', at('drive.loaded'), 'the worker has loaded the goal and raised its epoch', BEGINS),
  one('plain', at('record.before'), 'just before the first step is saved', BEGINS),
  one('plain', at('record.after'), 'the first step is saved', ASKS),
  one('plain', at('record.told'), 'the first step is published', ASKS),
  one('plain', at('ask.before'), 'just before the request to the model', ASKS),
  one('plain', at('ask.after'), 'the model has answered', ASKS_AGAIN, { asked: 4 }),
  one('plain', at('record.before', 2), 'just before the answer is saved', ASKS_AGAIN, { asked: 4 }),
  one('plain', at('record.after', 2), 'the answer is saved', CLASSIFIES),
  one('plain', at('record.told', 2), 'the answer is published', CLASSIFIES),
  one('plain', at('classify.before'), 'just before the command is judged', CLASSIFIES),
  one('plain', at('classify.after'), 'the command is judged', CLASSIFIES_AGAIN),
  one('plain', at('record.before', 3), 'just before the start of the command is saved', CLASSIFIES_AGAIN),
  one('plain', at('record.after', 3), 'the start of the command is saved', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('record.told', 3), 'the start is published', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('run.before'), 'just before the sandbox gets the command', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('run.asked'), 'the command runs', TAKES_OVER),
  one('plain', at('run.after'), 'the command has ended', TAKES_OVER),
  one('plain', at('record.before', 4), 'just before the result is saved', TAKES_OVER),
  one('plain', at('record.after', 4), 'the result is saved', NEXT_STEP),
  one('plain', at('record.told', 4), 'the result is published', NEXT_STEP),
  one(
    'plain',
    [at('run.asked'), at('recover.before')],
    'killed again, before the next worker asks about the command',
    TAKES_OVER,
  ),
  one(
    'plain',
    [at('run.asked'), at('recover.after')],
    'killed again, after the next worker has taken over the command',
    TAKES_OVER,
  ),
  one('plain', at('drive.left'), 'the goal is done, but the lock is still held', NOTHING),
  one('plain', at('lock.freed'), 'the goal is done, and the lock is free', NOTHING),
  one(
    'halts',
    at('record.before', 6),
    'just before the question is saved',
    'has the command judged again, then asks the person',
  ),
  one('halts', at('record.after', 6), 'the question is saved', NOTHING),
  one('halts', at('drive.left'), 'the goal is halted, but the lock is still held', NOTHING),
  one('halts', at('lock.freed'), 'the goal is halted, and the lock is free', NOTHING),
  one('holds', at('record.before', 7), 'just before the question about the changes is saved', TAKES_OVER_HELD),
  one('holds', at('record.after', 7), 'the question about the changes is saved', NOTHING),
  one('holds', at('settle.before'), 'just before the sandbox gets the verdict to keep the changes', SETTLES),
  one('holds', at('settle.asked'), 'the sandbox has got the verdict', SETTLES),
  one('holds', at('settle.after'), 'the changes are kept', SETTLES),
  one('waits', at('record.after', 2), 'the wait is saved', 'continues when the wait is over', { asked: 4 }),
  one('waits', at('drive.left'), 'the goal waits, but the lock is still held', 'continues when the wait is over', {
    asked: 4,
  }),
  one(
    'waits',
    at('lock.freed'),
    'the goal waits, and its next job is not queued yet',
    'continues when the wait is over',
    {
      asked: 4,
    },
  ),
];

/** Returns the table of docs/safety-proofs.md. */
export function killTable(): string {
  const rows = KILL_POINTS.map(({ kills, when, next, asked, ran, ends }) => {
    const where = kills.map(({ at: boundary }) => `\`${boundary}\``).join(', then ');
    return `| ${where} | ${when} | ${next} | ${asked} | ${ran} | ${ends} |`;
  });
  return [
    '| killed at | when | the next worker | model requests | command ran | command ends |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
