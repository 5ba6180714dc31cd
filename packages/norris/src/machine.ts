import {
  type ActionState,
  type Classification,
  type GoalState,
  type RunOutcome,
  type Usage,
  type Verdict,
  type WaitingFor,
  isTerminal,
} from '@aish/contracts';
import {
  approvedTurn,
  lostTurn,
  nudgeTurn,
  outputTurn,
  refusedTurn,
  skippedTurn,
  type GoalLine,
} from '@aish/conversation';

/** What the step machine knows of a goal. Made of rows by the driver; the same after any crash. */
export interface GoalMachine {
  readonly state: GoalState;
  readonly stepBudget: number;
  /** Answers of the model so far. */
  readonly stepsTaken: number;
  /** Whether the model has just been reminded to act. */
  readonly nudged: boolean;
  /** The newest step. */
  readonly step: MachineStep | null;
}

export interface MachineStep {
  readonly n: number;
  readonly answered: boolean;
  readonly goalLine: GoalLine | null;
  readonly actions: readonly MachineAction[];
}

export interface MachineAction {
  readonly id: string;
  readonly command: string;
  readonly state: ActionState;
}

/** What happened. Everything a decision of the machine depends on is in here or in the state: no clock, no chance. */
export type GoalEvent =
  | { readonly type: 'taken' }
  | {
      readonly type: 'answered';
      readonly text: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      readonly actions: readonly { readonly id: string; readonly command: string }[];
      readonly goalLine: GoalLine | null;
    }
  | { readonly type: 'classified'; readonly actionId: string; readonly classification: Classification }
  | { readonly type: 'ran'; readonly actionId: string; readonly outcome: RunOutcome }
  /** Nobody knows how a begun run ended. */
  | { readonly type: 'lost'; readonly actionId: string }
  /** The sandbox will never run this command (too long, for instance). */
  | { readonly type: 'refused'; readonly actionId: string; readonly reason: string }
  | {
      readonly type: 'decided';
      readonly actionId: string;
      readonly verdict: Verdict;
      readonly message: string | null;
      readonly by: string;
    }
  /** Something needed is away. `began`: an action that may have begun all the same, and must be asked after. */
  | { readonly type: 'away'; readonly what: WaitingFor; readonly reason: string; readonly began: boolean }
  | { readonly type: 'failed'; readonly reason: string }
  /** `outcomes`: of commands that were killed for it, where known. */
  | { readonly type: 'cancelled'; readonly by: string; readonly outcomes: Readonly<Record<string, RunOutcome>> };

/** What to write, all of it in the one transaction of its event. */
export type RecordEffect =
  | { readonly type: 'startStep'; readonly n: number }
  | {
      readonly type: 'answerStep';
      readonly n: number;
      readonly text: string;
      readonly model: string | null;
      readonly usage: Usage | null;
      readonly goalLine: GoalLine | null;
      readonly actions: readonly { readonly id: string; readonly command: string }[];
    }
  | { readonly type: 'appendTurn'; readonly role: 'assistant' | 'output' | 'notice'; readonly content: string }
  | { readonly type: 'classifyAction'; readonly actionId: string; readonly classification: Classification }
  | {
      readonly type: 'setAction';
      readonly actionId: string;
      readonly state: ActionState;
      readonly outcome?: RunOutcome;
      readonly reason?: string;
    }
  | {
      readonly type: 'requestDecision';
      readonly actionId: string;
      readonly reason: string;
      readonly classification: Classification;
    }
  | { readonly type: 'withdrawDecisions' }
  | {
      readonly type: 'setGoal';
      readonly state: GoalState;
      readonly reason: string | null;
      readonly waitingFor: WaitingFor | null;
      readonly summary: string | null;
    };

/** The one thing to do in the world after the records are committed. */
export type ActEffect =
  | { readonly type: 'ask' }
  | { readonly type: 'classify'; readonly action: MachineAction }
  | { readonly type: 'run'; readonly action: MachineAction }
  /** Ask the sandbox what became of a run that was begun earlier, and take it over. */
  | { readonly type: 'recover'; readonly action: MachineAction };

export interface Advance {
  readonly machine: GoalMachine;
  readonly records: readonly RecordEffect[];
  /** Null: nothing to do until a person, a timer or nobody. */
  readonly act: ActEffect | null;
}

const ENDED: ReadonlySet<ActionState> = new Set(['finished', 'skipped', 'lost']);

/**
 * The step machine: what follows from an event. Pure. An event that does not fit the state (a late answer, a second
 * verdict) changes nothing. Source: Phase 3 manifest, sections 4 and 6; architecture, "How a goal flows".
 */
export function advance(machine: GoalMachine, event: GoalEvent): Advance {
  if (isTerminal(machine.state)) return nothing(machine);
  switch (event.type) {
    case 'taken':
      return take(machine);
    case 'answered':
      return answer(machine, event);
    case 'classified':
      return classified(machine, event.actionId, event.classification);
    case 'ran': {
      const action = find(machine, event.actionId, 'started');
      if (action === null) return nothing(machine);
      return goOn(setAction(machine, action.id, 'finished'), [
        { type: 'setAction', actionId: action.id, state: 'finished', outcome: event.outcome },
        { type: 'appendTurn', role: 'output', content: outputTurn(action.command, event.outcome) },
      ]);
    }
    case 'lost': {
      const action = find(machine, event.actionId, 'started');
      if (action === null) return nothing(machine);
      return goOn(setAction(machine, action.id, 'lost'), [
        { type: 'setAction', actionId: action.id, state: 'lost' },
        { type: 'appendTurn', role: 'notice', content: lostTurn(action.command) },
      ]);
    }
    case 'refused': {
      const action = find(machine, event.actionId, 'started');
      if (action === null) return nothing(machine);
      return goOn(setAction(machine, action.id, 'skipped'), [
        { type: 'setAction', actionId: action.id, state: 'skipped', reason: event.reason },
        { type: 'appendTurn', role: 'notice', content: refusedTurn(action.command, event.reason) },
      ]);
    }
    case 'decided':
      return decided(machine, event);
    case 'away':
      return away(machine, event);
    case 'failed':
      return end(machine, 'failed', event.reason, null, []);
    case 'cancelled':
      return cancel(machine, event);
  }
}

/** A driver has the goal: whatever was under way when the last one stopped goes on here. */
function take(machine: GoalMachine): Advance {
  if (machine.state === 'halted') return nothing(machine);
  const running = { ...machine, state: 'running' as const };
  return goOn(running, machine.state === 'running' ? [] : [setGoal('running', null)]);
}

function answer(machine: GoalMachine, event: Extract<GoalEvent, { type: 'answered' }>): Advance {
  const step = machine.step;
  if (step === null || step.answered) return nothing(machine);
  const { text, model, usage, actions, goalLine } = event;
  const answered: GoalMachine = {
    ...machine,
    stepsTaken: machine.stepsTaken + 1,
    nudged: actions.length > 0 ? false : machine.nudged,
    step: { ...step, answered: true, goalLine, actions: actions.map((action) => ({ ...action, state: 'pending' })) },
  };
  return goOn(answered, [
    { type: 'answerStep', n: step.n, text, model, usage, goalLine, actions },
    { type: 'appendTurn', role: 'assistant', content: text },
  ]);
}

function classified(machine: GoalMachine, actionId: string, classification: Classification): Advance {
  const action = find(machine, actionId, 'pending');
  if (action === null || machine.state !== 'running') return nothing(machine);
  const record: RecordEffect = { type: 'classifyAction', actionId, classification };
  if (classification.verdict === 'safe') return begin(machine, action, [record]);
  const reason = classification.reason ?? 'it is not known to be safe';
  return {
    machine: { ...setAction(machine, actionId, 'halted'), state: 'halted' },
    records: [
      record,
      { type: 'setAction', actionId, state: 'halted' },
      { type: 'requestDecision', actionId, reason, classification },
      setGoal('halted', reason),
    ],
    act: null,
  };
}

/** A verdict is written by the api, which drives nothing: the goal is queued and goes on in a worker. */
function decided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'decided' }>): Advance {
  const action = find(machine, event.actionId, 'halted');
  if (action === null) return nothing(machine);
  switch (event.verdict) {
    case 'proceed':
      return queueAgain(setAction(machine, action.id, 'approved'), [
        { type: 'setAction', actionId: action.id, state: 'approved' },
        { type: 'appendTurn', role: 'notice', content: approvedTurn },
      ]);
    case 'skip':
      return queueAgain(setAction(machine, action.id, 'skipped'), [
        { type: 'setAction', actionId: action.id, state: 'skipped', reason: `skipped by ${event.by}` },
        { type: 'appendTurn', role: 'notice', content: skippedTurn(action.command, event.message) },
      ]);
    case 'abort':
      return end(machine, 'aborted', `aborted by ${event.by}`, null, []);
  }
}

function queueAgain(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  return { machine: { ...machine, state: 'queued' }, records: [...records, setGoal('queued', null)], act: null };
}

/** Not an end: the goal waits and comes back by itself. */
function away(machine: GoalMachine, event: Extract<GoalEvent, { type: 'away' }>): Advance {
  if (machine.state === 'halted') return nothing(machine);
  const started = machine.step?.actions.find((action) => action.state === 'started');
  const records: RecordEffect[] = [];
  let waiting: GoalMachine = { ...machine, state: 'waiting' };
  if (event.what === 'sandbox' && !event.began && started !== undefined) {
    waiting = setAction(waiting, started.id, 'approved');
    records.push({ type: 'setAction', actionId: started.id, state: 'approved' });
  }
  records.push({ type: 'setGoal', state: 'waiting', reason: event.reason, waitingFor: event.what, summary: null });
  return { machine: waiting, records, act: null };
}

function cancel(machine: GoalMachine, event: Extract<GoalEvent, { type: 'cancelled' }>): Advance {
  const records: RecordEffect[] = [];
  let current = machine;
  for (const action of machine.step?.actions ?? []) {
    const outcome = event.outcomes[action.id];
    if (action.state !== 'started' || outcome === undefined) continue;
    current = setAction(current, action.id, 'finished');
    records.push(
      { type: 'setAction', actionId: action.id, state: 'finished', outcome },
      { type: 'appendTurn', role: 'output', content: outputTurn(action.command, outcome) },
    );
  }
  return end(current, 'aborted', `cancelled by ${event.by}`, null, records);
}

/** Goes on until there is something to do in the world. */
function goOn(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  const step = machine.step;
  if (step === null) return startStep(machine, records);
  if (!step.answered) return { machine, records, act: { type: 'ask' } };

  const action = step.actions.find((candidate) => !ENDED.has(candidate.state));
  if (action !== undefined) return goOnWith(machine, action, records);

  // A GOAL: line takes effect after the actions of its answer. Source: Phase 3 manifest, Q25.
  if (step.goalLine?.kind === 'complete') return end(machine, 'done', null, step.goalLine.summary, records);
  if (step.goalLine?.kind === 'blocked') {
    return end(machine, 'blocked', step.goalLine.reason ?? 'the model gave no reason', null, records);
  }
  if (step.actions.length > 0) return startStep(machine, records);
  if (machine.nudged) return end(machine, 'stalled', 'the model neither acted nor ended the goal', null, records);
  return startStep({ ...machine, nudged: true }, [
    ...records,
    { type: 'appendTurn', role: 'notice', content: nudgeTurn },
  ]);
}

function goOnWith(machine: GoalMachine, action: MachineAction, records: readonly RecordEffect[]): Advance {
  switch (action.state) {
    case 'pending':
      return { machine, records, act: { type: 'classify', action } };
    case 'approved':
      return begin(machine, action, records);
    case 'started':
      return { machine, records, act: { type: 'recover', action } };
    case 'halted':
      return { machine: { ...machine, state: 'halted' }, records: [...records, setGoal('halted', null)], act: null };
    case 'finished':
    case 'skipped':
    case 'lost':
      return nothing(machine);
  }
}

/** `started` is committed before the sandbox is asked, so that a crash can never make a command run twice. */
function begin(machine: GoalMachine, action: MachineAction, records: readonly RecordEffect[]): Advance {
  return {
    machine: setAction(machine, action.id, 'started'),
    records: [...records, { type: 'setAction', actionId: action.id, state: 'started' }],
    act: { type: 'run', action: { ...action, state: 'started' } },
  };
}

function startStep(machine: GoalMachine, records: readonly RecordEffect[]): Advance {
  if (machine.stepsTaken >= machine.stepBudget) {
    return end(machine, 'exhausted', `the budget of ${machine.stepBudget} steps is used up`, null, records);
  }
  const n = (machine.step?.n ?? 0) + 1;
  return {
    machine: { ...machine, step: { n, answered: false, goalLine: null, actions: [] } },
    records: [...records, { type: 'startStep', n }],
    act: { type: 'ask' },
  };
}

/** Ends the goal; no action is left open. */
function end(
  machine: GoalMachine,
  state: 'done' | 'blocked' | 'stalled' | 'aborted' | 'exhausted' | 'failed',
  reason: string | null,
  summary: string | null,
  records: readonly RecordEffect[],
): Advance {
  let ended: GoalMachine = { ...machine, state };
  const closing: RecordEffect[] = [];
  for (const action of machine.step?.actions ?? []) {
    if (ENDED.has(action.state)) continue;
    const last = action.state === 'started' ? 'lost' : 'skipped';
    ended = setAction(ended, action.id, last);
    closing.push({ type: 'setAction', actionId: action.id, state: last, reason: reason ?? 'the goal ended' });
  }
  if (machine.state === 'halted') closing.push({ type: 'withdrawDecisions' });
  return {
    machine: ended,
    records: [...records, ...closing, { type: 'setGoal', state, reason, waitingFor: null, summary }],
    act: null,
  };
}

function nothing(machine: GoalMachine): Advance {
  return { machine, records: [], act: null };
}

function setGoal(state: GoalState, reason: string | null): RecordEffect {
  return { type: 'setGoal', state, reason, waitingFor: null, summary: null };
}

/** The action whose turn it is, if it is this one in this state: actions go in order, so no other may change. */
function find(machine: GoalMachine, actionId: string, state: ActionState): MachineAction | null {
  const current = machine.step?.actions.find((action) => !ENDED.has(action.state));
  return current?.id === actionId && current.state === state ? current : null;
}

function setAction(machine: GoalMachine, actionId: string, state: ActionState): GoalMachine {
  if (machine.step === null) return machine;
  const actions = machine.step.actions.map((action) => (action.id === actionId ? { ...action, state } : action));
  return { ...machine, step: { ...machine.step, actions } };
}
