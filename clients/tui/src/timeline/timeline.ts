import type { Classification, EventBody, LiveBody, RunOutcome, SessionEvent, Usage, Verdict } from '@aish/contracts';
import { isTerminal, type GoalState } from '@aish/contracts';

/** What a goal's session looks like so far: what the events said, plus what is being written right now. */
export interface Timeline {
  readonly entries: readonly Entry[];
  /** Entries at the beginning that were dropped to stay within bounds. */
  readonly dropped: number;
}

export type Entry = GoalEntry | StepEntry | ActionEntry | WaitEntry | EndEntry;

export interface GoalEntry {
  readonly type: 'goal';
  readonly number: number;
  readonly text: string;
  readonly preset: string;
  readonly stepBudget: number;
  readonly at: string;
}

export interface StepEntry {
  readonly type: 'step';
  readonly n: number;
  readonly stepBudget: number | null;
  readonly text: string;
  readonly isStreaming: boolean;
  readonly usage: Usage | null;
}

export interface ActionEntry {
  readonly type: 'action';
  readonly actionId: string;
  readonly command: string;
  readonly state: 'pending' | 'running' | 'finished' | 'skipped' | 'lost';
  readonly classification: Classification | null;
  readonly halt: Halt | null;
  /** As it came, uncleaned; the newest `OUTPUT_MAX_CHARS`. */
  readonly output: string;
  readonly outcome: RunOutcome | null;
  readonly reason: string | null;
}

/** The question that stops an action, and its answer when there is one. */
export interface Halt {
  readonly decisionId: string;
  readonly number: number;
  readonly reason: string;
  readonly answer: HaltAnswer | null;
}

export type HaltAnswer =
  | 'withdrawn'
  | { readonly verdict: Verdict; readonly by: string; readonly message: string | null };

export interface WaitEntry {
  readonly type: 'wait';
  readonly for: string;
  readonly reason: string;
}

export interface EndEntry {
  readonly type: 'end';
  readonly state: GoalState;
  readonly text: string;
  readonly at: string;
}

export const emptyTimeline: Timeline = { entries: [], dropped: 0 };

/** Bounds of what is kept; the api has all of it (`aish show`). */
export const MAX_ENTRIES = 600;
export const TEXT_MAX_CHARS = 32_768;
export const OUTPUT_MAX_CHARS = 16_384;

/** The timeline after one stored event. Events come in order, each once. */
export function addEvent(timeline: Timeline, { body, at }: SessionEvent): Timeline {
  switch (body.type) {
    case 'goal.created': {
      const { number, text, preset, stepBudget } = body;
      return push(timeline, { type: 'goal', number, text: head(text, TEXT_MAX_CHARS), preset, stepBudget, at });
    }
    case 'goal.changed':
      return changeGoal(timeline, body, at);
    case 'step.started': {
      const { step: n, stepBudget } = body;
      if (findStep(timeline, n) !== undefined) return timeline;
      return push(timeline, { type: 'step', n, stepBudget, text: '', isStreaming: true, usage: null });
    }
    case 'step.answered': {
      const { step: n, usage } = body;
      const known = findStep(timeline, n);
      const text = head(body.text, TEXT_MAX_CHARS);
      if (known !== undefined) return replace(timeline, known, { ...known, text, usage, isStreaming: false });
      return push(timeline, { type: 'step', n, stepBudget: null, text, isStreaming: false, usage });
    }
    case 'decision.requested': {
      const { actionId, action: command, decisionId, number, reason } = body;
      return changeAction(timeline, { actionId, command }, { halt: { decisionId, number, reason, answer: null } });
    }
    case 'decision.given': {
      const { verdict, by, message } = body;
      return answerHalt(timeline, body.decisionId, { verdict, by, message });
    }
    case 'decision.withdrawn':
      return answerHalt(timeline, body.decisionId, 'withdrawn');
    case 'action.classified': {
      const { classification } = body;
      return changeAction(timeline, body, { classification });
    }
    case 'action.started':
      return changeAction(timeline, body, { state: 'running' });
    case 'action.skipped':
      return changeAction(timeline, body, { state: 'skipped', reason: body.reason });
    case 'action.lost':
      return changeAction(timeline, body, { state: 'lost' });
    case 'action.finished': {
      const { outcome } = body;
      return changeAction(timeline, body, { state: 'finished', outcome, output: outcome.output });
    }
  }
}

/** The timeline with live text added. Live text of a step or command that has ended comes late and is dropped. */
export function addLive(timeline: Timeline, body: LiveBody): Timeline {
  if (body.type === 'model.delta') {
    const step = findStep(timeline, body.step);
    if (step?.isStreaming === false) return timeline;
    if (step === undefined) {
      const { step: n, text } = body;
      return push(timeline, { type: 'step', n, stepBudget: null, text, isStreaming: true, usage: null });
    }
    return replace(timeline, step, { ...step, text: head(step.text + body.text, TEXT_MAX_CHARS) });
  }
  const action = findAction(timeline, body.actionId);
  if (action === undefined || action.outcome !== null) return timeline;
  return replace(timeline, action, { ...action, output: (action.output + body.text).slice(-OUTPUT_MAX_CHARS) });
}

function changeGoal(timeline: Timeline, body: Extract<EventBody, { type: 'goal.changed' }>, at: string): Timeline {
  const { state, reason, waitingFor, summary } = body;
  if (isTerminal(state)) {
    return push(stopStreaming(timeline), { type: 'end', state, text: summary ?? reason ?? '', at });
  }
  // An answer that broke off is asked for again from its beginning.
  if (state === 'waiting')
    return push(restartStep(timeline), { type: 'wait', for: waitingFor ?? '', reason: reason ?? '' });
  return timeline;
}

function restartStep(timeline: Timeline): Timeline {
  const step = timeline.entries.findLast((entry) => entry.type === 'step');
  return step?.isStreaming === true ? replace(timeline, step, { ...step, text: '' }) : timeline;
}

function stopStreaming(timeline: Timeline): Timeline {
  const step = timeline.entries.findLast((entry) => entry.type === 'step');
  return step?.isStreaming === true ? replace(timeline, step, { ...step, isStreaming: false }) : timeline;
}

function answerHalt(timeline: Timeline, decisionId: string, answer: HaltAnswer): Timeline {
  const action = timeline.entries.findLast(
    (entry): entry is ActionEntry => entry.type === 'action' && entry.halt?.decisionId === decisionId,
  );
  if (action === undefined || action.halt === null) return timeline;
  return replace(timeline, action, { ...action, halt: { ...action.halt, answer } });
}

function changeAction(
  timeline: Timeline,
  { actionId, command }: { readonly actionId: string; readonly command?: string },
  change: Partial<ActionEntry>,
): Timeline {
  const known = findAction(timeline, actionId);
  if (known !== undefined) return replace(timeline, known, { ...known, ...change });
  if (command === undefined) return timeline; // dropped long ago
  return push(timeline, {
    type: 'action',
    actionId,
    command,
    state: 'pending',
    classification: null,
    halt: null,
    output: '',
    outcome: null,
    reason: null,
    ...change,
  });
}

function findStep(timeline: Timeline, n: number): StepEntry | undefined {
  return timeline.entries.findLast((entry): entry is StepEntry => entry.type === 'step' && entry.n === n);
}

function findAction(timeline: Timeline, actionId: string): ActionEntry | undefined {
  return timeline.entries.findLast(
    (entry): entry is ActionEntry => entry.type === 'action' && entry.actionId === actionId,
  );
}

function push(timeline: Timeline, entry: Entry): Timeline {
  const entries = [...timeline.entries, entry];
  const excess = Math.max(0, entries.length - MAX_ENTRIES);
  return { entries: entries.slice(excess), dropped: timeline.dropped + excess };
}

function replace(timeline: Timeline, old: Entry, entry: Entry): Timeline {
  return { ...timeline, entries: timeline.entries.map((each) => (each === old ? entry : each)) };
}

function head(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n…`;
}
