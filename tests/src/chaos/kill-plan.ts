import type { Boundary, IntakeBoundary } from '@aish/actions';

/**
 * Kill the process that drives the goal, or takes the event, when it passes this boundary for the nth time since the
 * last kill.
 */
export interface Kill {
  readonly at: Boundary | IntakeBoundary;
  readonly pass: number;
  /** This process and no other. */
  readonly pid?: number;
}

/** How the names of plans begin that the next goal takes. */
export const NEXT_PLAN = 'next-';

/** Which goal is driven: what its model says. */
export type KilledGoal = 'plain' | 'halts' | 'waits' | 'holds';

/** What came of a goal whose driver was killed; the same wherever it was not, but for these. */
export interface Outcome {
  /** How often the model was asked in all; 3 times without a kill. */
  readonly asked: number;
  /** How often the first command ran. */
  readonly ran: 0 | 1;
  /** What became of that command. */
  readonly ends: 'finished' | 'lost';
}

export interface KillPoint extends Outcome {
  readonly goal: KilledGoal;
  /** When that is, for people. */
  readonly when: string;
  readonly kills: readonly Kill[];
  /** What the next driver does. */
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

const BEGINS = 'begins the goal';
const ASKS = 'asks the model for the step';
const ASKS_AGAIN = 'asks the model for the same step again';
const CLASSIFIES = 'asks the gate about the command';
const CLASSIFIES_AGAIN = 'asks the gate again';
const IS_LOST = 'asks the sandbox, which knows of no such run: the command is lost, and the model is told';
const TAKES_OVER = 'asks the sandbox, attaches to the run and takes its result';
const TAKES_OVER_HELD = 'takes its result from the sandbox, then asks the person';
const SETTLES = 'tells the sandbox, once more where it knows';
const NEXT_STEP = 'goes on with the next step';
const NOTHING = 'finds nothing to do';

/** Every boundary, and those that are passed at several occasions at each of them. */
export const KILL_POINTS: readonly KillPoint[] = [
  one('plain', at('job.taken'), 'a job was taken', BEGINS),
  one('plain', at('lock.held'), 'the lock is held', BEGINS),
  one('plain', at('drive.loaded'), 'the epoch is raised', BEGINS),
  one('plain', at('record.before'), 'the first step is about to be written', BEGINS),
  one('plain', at('record.after'), 'the first step is written', ASKS),
  one('plain', at('record.told'), 'the first step is told', ASKS),
  one('plain', at('ask.before'), 'the model is about to be asked', ASKS),
  one('plain', at('ask.after'), 'the model has answered', ASKS_AGAIN, { asked: 4 }),
  one('plain', at('record.before', 2), 'the answer is about to be written', ASKS_AGAIN, { asked: 4 }),
  one('plain', at('record.after', 2), 'the answer is written', CLASSIFIES),
  one('plain', at('record.told', 2), 'the answer is told', CLASSIFIES),
  one('plain', at('classify.before'), 'the gate is about to be asked', CLASSIFIES),
  one('plain', at('classify.after'), 'the gate has answered', CLASSIFIES_AGAIN),
  one('plain', at('record.before', 3), 'the command is about to be written as started', CLASSIFIES_AGAIN),
  one('plain', at('record.after', 3), 'the command is written as started', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('record.told', 3), 'the start is told', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('run.before'), 'the sandbox is about to be asked', IS_LOST, { ran: 0, ends: 'lost' }),
  one('plain', at('run.asked'), 'the command runs', TAKES_OVER),
  one('plain', at('run.after'), 'the command has ended', TAKES_OVER),
  one('plain', at('record.before', 4), 'the result is about to be written', TAKES_OVER),
  one('plain', at('record.after', 4), 'the result is written', NEXT_STEP),
  one('plain', at('record.told', 4), 'the result is told', NEXT_STEP),
  one('plain', [at('run.asked'), at('recover.before')], 'killed again, before a run is asked after', TAKES_OVER),
  one('plain', [at('run.asked'), at('recover.after')], 'killed again, after a run was taken over', TAKES_OVER),
  one('plain', at('drive.left'), 'the goal is done, the lock still held', NOTHING),
  one('plain', at('lock.freed'), 'the goal is done, the lock free', NOTHING),
  one(
    'halts',
    at('record.before', 6),
    'the question is about to be written',
    'asks the gate again, then asks the person',
  ),
  one('halts', at('record.after', 6), 'the question is written', NOTHING),
  one('halts', at('drive.left'), 'the goal is halted, the lock still held', NOTHING),
  one('halts', at('lock.freed'), 'the goal is halted, the lock free', NOTHING),
  one('holds', at('record.before', 7), 'what it did is about to be asked about', TAKES_OVER_HELD),
  one('holds', at('record.after', 7), 'the question about what it did is written', NOTHING),
  one('holds', at('settle.before'), 'the sandbox is about to be told to keep it', SETTLES),
  one('holds', at('settle.asked'), 'the sandbox has been told to keep it', SETTLES),
  one('holds', at('settle.after'), 'what it did is kept', SETTLES),
  one('waits', at('record.after', 2), 'the wait is written', 'comes back when the wait is over', { asked: 4 }),
  one('waits', at('drive.left'), 'the goal waits, the lock still held', 'comes back when the wait is over', {
    asked: 4,
  }),
  one('waits', at('lock.freed'), 'the goal waits, its next job not added', 'comes back when the wait is over', {
    asked: 4,
  }),
];

/** The table of docs/norris.md. */
export function killTable(): string {
  const rows = KILL_POINTS.map(({ kills, when, next, asked, ran, ends }) => {
    const where = kills.map(({ at: boundary }) => `\`${boundary}\``).join(', then ');
    return `| ${where} | ${when} | ${next} | ${asked} | ${ran} | ${ends} |`;
  });
  return [
    '| killed at | when | the next driver | model asked | command ran | command ends |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
