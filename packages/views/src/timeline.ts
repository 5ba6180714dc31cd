import { sumEffects } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { ActionKind } from '@aish/contracts/actions';
import type { EventBody, LiveBody, SessionEvent } from '@aish/contracts/events';
import { kindLabel } from './decision.format.js';
import { formatControl } from './control.format.js';
import { oneLine } from './sanitise.js';
import { hasEnded } from './goal.state.js';
import type { ToolNews } from './tool-news.format.js';
import { addChatEvent, addChatLive } from './chat.timeline.js';
import {
  NEWS_MAX,
  OUTPUT_MAX_CHARS,
  TEXT_MAX_CHARS,
  head,
  push,
  replace,
  endsInThought,
  thinkingAfter,
  untilNews,
  type ActionEntry,
  type AnswerEntry,
  type Entry,
  type HaltAnswer,
  type OwnEntry,
  type StepEntry,
  type Timeline,
} from './entries.js';

/** Returns the timeline after one stored event. Events arrive in order, each once. */
export function addEvent(before: Timeline, { body, at }: SessionEvent): Timeline {
  const timeline = lookedAt(before);
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
      const { step: n, usage, reasoning, notes = [] } = body;
      const known = findStep(timeline, n);
      const thoughts = reasoning === undefined ? {} : { reasoning: head(reasoning, TEXT_MAX_CHARS) };
      const answer = { text: head(body.text, TEXT_MAX_CHARS), usage, isStreaming: false, notes, ...thoughts };
      if (known !== undefined) return replace(timeline, known, { ...known, ...answer });
      return push(timeline, { type: 'step', n, stepBudget: null, ...answer });
    }
    case 'decision.requested': {
      const { actionId, action: command, decisionId, number, kind, reason } = body;
      if (actionId === null) return push(timeline, { type: 'note', text: `d${number} ${kindLabel(kind)}: ${command}` });
      return changeAction(
        timeline,
        { actionId, command },
        { halt: { decisionId, number, kind, reason, answer: null } },
      );
    }
    case 'decision.given': {
      const { verdict, by, message, edited = null, granted = null, carried = false } = body;
      return answerHalt(timeline, body.decisionId, { verdict, by, message, edited, granted, carried });
    }
    case 'decision.approved':
    case 'decision.taken_back':
      return push(timeline, { type: 'note', text: formatControl(body) });
    case 'decision.withdrawn':
      return answerHalt(timeline, body.decisionId, 'withdrawn');
    case 'action.classified': {
      const { classification } = body;
      // A person may have replaced the command, or its start failed because something had changed.
      const known = findAction(timeline, body.actionId);
      const isOther = known !== undefined && known.command !== body.command;
      const proposed = isOther ? { proposed: known.proposed ?? known.command } : {};
      return changeAction(timeline, body, { classification, state: 'pending', command: body.command, ...proposed });
    }
    case 'action.started':
      return changeAction(timeline, body, { state: 'running' });
    case 'action.skipped':
      return changeAction(timeline, body, { state: 'skipped', reason: body.reason });
    case 'action.snapshot':
      return timeline;
    case 'action.undone': {
      const marked = changeAction(timeline, { actionId: body.actionId }, { undoneBy: body.by });
      return push(marked, { type: 'note', text: `undone by ${oneLine(body.by)}: ${oneLine(body.command)}` });
    }
    case 'action.lost':
      return changeAction(timeline, body, { state: 'lost' });
    case 'command.started': {
      const { commandId, command, by } = body;
      const begun = { state: 'running', output: '', outcome: null, reason: null } as const;
      return push(loseOwn(timeline), { type: 'own', commandId, command, by, ...begun });
    }
    case 'command.ended': {
      const { commandId, outcome, reason } = body;
      return changeOwn(timeline, commandId, () => {
        return { state: 'ended', output: outcome?.output ?? '', outcome, reason };
      });
    }
    // A goal's timeline omits these; `aish watch` shows them.
    case 'network.connection':
    case 'network.changed':
    case 'secrets.changed':
      return timeline;
    case 'action.finished': {
      const { outcome, result } = body;
      const output = outcome?.output ?? result?.text ?? '';
      return changeAction(timeline, body, { state: 'finished', outcome, result, output });
    }
    case 'goal.said':
    case 'goal.edited':
    case 'goal.continued':
    case 'goal.check':
    case 'goal.trust':
    case 'goal.noticed':
    case 'grant.used':
    case 'grant.revoked':
      return push(timeline, { type: 'note', text: formatControl(body) });
    case 'goal.heard':
      return push(timeline, { type: 'note', text: 'the model reads the message' });
    case 'chat.created':
    case 'chat.changed':
    case 'message.received':
    case 'answer.started':
    case 'answer.ended':
    case 'exchange.ended':
      return addChatEvent(timeline, body);
  }
}

/** Removes the note about a running check, because a later event shows that it has ended. */
function lookedAt(timeline: Timeline): Timeline {
  const last = timeline.entries.at(-1);
  if (last?.type !== 'answer' || last.isStreaming || last.doing === null) return timeline;
  return replace(timeline, last, { ...last, doing: null });
}

/** Returns the timeline with live text. Live text of an ended step or command is late and dropped. */
export function addLive(timeline: Timeline, body: LiveBody, nowMs?: number): Timeline {
  if (isOfStep(body)) {
    const known = findStep(timeline, body.step);
    if (known?.isStreaming === false) return timeline;
    const step = known ?? { type: 'step', n: body.step, stepBudget: null, text: '', isStreaming: true, usage: null };
    const next = { ...step, ...changeOfStep(step, body, nowMs) };
    return known === undefined ? push(timeline, next) : replace(timeline, known, next);
  }
  if (body.type !== 'action.output' && body.type !== 'tool.log' && body.type !== 'tool.progress') {
    return addChatLive(timeline, body, nowMs);
  }
  const { actionId } = body;
  const action = findAction(timeline, actionId);
  if (action === undefined && body.type === 'action.output') {
    const more = body.text;
    return changeOwn(timeline, actionId, ({ output }) => ({ output: (output + more).slice(-OUTPUT_MAX_CHARS) }));
  }
  if (action === undefined || action.state === 'finished') return timeline;
  if (body.type !== 'action.output') {
    return replace(timeline, action, { ...action, news: withNews(action.news ?? [], body) });
  }
  return replace(timeline, action, { ...action, output: (action.output + body.text).slice(-OUTPUT_MAX_CHARS) });
}

type LiveOfStep = Extract<LiveBody, { type: `model.${string}` }>;

function isOfStep(body: LiveBody): body is LiveOfStep {
  return body.type.startsWith('model.');
}

function changeOfStep(step: StepEntry, body: LiveOfStep, nowMs: number | undefined): Partial<StepEntry> {
  if (body.type === 'model.progress') return { progress: body };
  if (body.type === 'model.draft') {
    return {
      text: head(body.text, TEXT_MAX_CHARS),
      reasoning: body.reasoning.slice(-TEXT_MAX_CHARS),
      ...untilNews(step),
    };
  }
  if (body.type === 'model.reasoning') {
    const reasoning = ((step.reasoning ?? '') + body.text).slice(-TEXT_MAX_CHARS);
    return { reasoning, ...thinkingAfter(step.thinking, true, nowMs) };
  }
  const text = head(step.text + body.text, TEXT_MAX_CHARS);
  return { text, ...untilNews(step), ...thinkingAfter(step.thinking, endsInThought(text), nowMs) };
}

/** Keeps a tool's latest progress and its latest log lines. */
function withNews(news: readonly ToolNews[], body: ToolNews): readonly ToolNews[] {
  const kept = body.type === 'tool.progress' ? news.filter(({ type }) => type !== 'tool.progress') : news;
  return [...kept, body].slice(-NEWS_MAX);
}

function changeGoal(timeline: Timeline, body: Extract<EventBody, { type: 'goal.changed' }>, at: string): Timeline {
  const { state, reason, waitingFor, summary } = body;
  if (hasEnded(state)) {
    return push(stopStreaming(timeline), {
      type: 'end',
      state,
      text: summary ?? reason ?? '',
      effects: didIn(timeline),
      at,
    });
  }
  // An interrupted answer is requested again from its beginning.
  if (state === 'paused') return push(restartStep(leaveAction(timeline)), { type: 'note', text: reason ?? 'paused' });
  if (state === 'waiting') return wait(restartStep(timeline), waitingFor ?? '', reason ?? '');
  return timeline;
}

/** Adds a wait. A goal may try again every few seconds for a whole night, so the same reason is shown once. */
function wait(timeline: Timeline, what: string, reason: string): Timeline {
  const last = timeline.entries.at(-1);
  if (last?.type === 'wait' && last.for === what && last.reason === reason) return timeline;
  return push(timeline, { type: 'wait', for: what, reason });
}

/** Returns the total changes. They count as incomplete if entries at the beginning were dropped. */
function didIn({ entries, dropped }: Timeline): Effects | null {
  const did = sumEffects(entries.flatMap((entry) => (entry.type === 'action' ? (entry.outcome ?? []) : [])));
  return did === null || dropped === 0 ? did : { ...did, complete: false };
}

/** Marks a running command of a paused goal. Nobody follows it: it may have ended, and its result is read later. */
function leaveAction(timeline: Timeline): Timeline {
  const action = timeline.entries.findLast((entry) => entry.type === 'action');
  return action?.state === 'running' ? changeAction(timeline, action, { state: 'left' }) : timeline;
}

function restartStep(timeline: Timeline): Timeline {
  const step = timeline.entries.findLast((entry) => entry.type === 'step');
  return step?.isStreaming === true ? replace(timeline, step, { ...step, text: '', progress: null }) : timeline;
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
  {
    actionId,
    command,
    kind = 'command',
  }: { readonly actionId: string; readonly command?: string; readonly kind?: ActionKind },
  change: Partial<ActionEntry>,
): Timeline {
  const known = findAction(timeline, actionId);
  if (known !== undefined) {
    const changed = replace(timeline, known, { ...known, ...change });
    return change.command === undefined || change.command === known.command ? changed : withCommands(changed, actionId);
  }
  if (command === undefined) return timeline; // The entry was dropped long ago.
  const pushed = push(timeline, {
    type: 'action',
    actionId,
    kind,
    command,
    state: 'pending',
    classification: null,
    halt: null,
    output: '',
    outcome: null,
    result: null,
    reason: null,
    ...change,
  });
  return withCommands(pushed, actionId);
}

/** Changes a person's command that runs. */
function changeOwn(timeline: Timeline, id: string, change: (own: OwnEntry) => Partial<OwnEntry>): Timeline {
  const own = timeline.entries.findLast((entry): entry is OwnEntry => entry.type === 'own' && entry.commandId === id);
  return own?.state === 'running' ? replace(timeline, own, { ...own, ...change(own) }) : timeline;
}

/** A person runs one command at a time, so the end of an earlier one was lost with its api. */
function loseOwn(timeline: Timeline): Timeline {
  const own = timeline.entries.findLast((entry): entry is OwnEntry => entry.type === 'own');
  return own === undefined ? timeline : changeOwn(timeline, own.commandId, () => ({ state: 'lost' }));
}

/** Adds to the model's text which commands are shown below it. */
function withCommands(timeline: Timeline, actionId: string): Timeline {
  const { entries } = timeline;
  const at = entries.findLastIndex((entry) => entry.type === 'action' && entry.actionId === actionId);
  const from = entries.slice(0, at).findLastIndex(isOfModel);
  const owner = entries[from];
  if (owner === undefined || !isOfModel(owner)) return timeline;
  const end = entries.findIndex((entry, index) => index > at && isOfModel(entry));
  const commands = entries
    .slice(from + 1, end < 0 ? undefined : end)
    .flatMap((entry) => (entry.type === 'action' && entry.kind === 'command' ? [entry.proposed ?? entry.command] : []));
  return replace(timeline, owner, { ...owner, commands });
}

function isOfModel(entry: Entry): entry is StepEntry | AnswerEntry {
  return entry.type === 'step' || entry.type === 'answer';
}

function findStep(timeline: Timeline, n: number): StepEntry | undefined {
  return timeline.entries.findLast((entry): entry is StepEntry => entry.type === 'step' && entry.n === n);
}

function findAction(timeline: Timeline, actionId: string): ActionEntry | undefined {
  return timeline.entries.findLast(
    (entry): entry is ActionEntry => entry.type === 'action' && entry.actionId === actionId,
  );
}
