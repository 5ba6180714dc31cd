import { effectsInAll } from '@aish/contracts/effect-lines';
import type { Effects } from '@aish/contracts/effects';
import type { ActionKind } from '@aish/contracts/actions';
import type { EventBody, LiveBody, SessionEvent } from '@aish/contracts/events';
import { kindLabel } from './decision.format.js';
import { formatControl } from './control.format.js';
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
  type StepEntry,
  type Timeline,
} from './entries.js';

/** The timeline after one stored event. Events come in order, each once. */
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
      if (actionId === null)
        return push(timeline, { type: 'note', text: `d-${number} ${kindLabel(kind)}: ${command}` });
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
      // A person may have put another command in its place, or it was begun in vain where something had changed.
      return changeAction(timeline, body, { classification, state: 'pending', command: body.command });
    }
    case 'action.started':
      return changeAction(timeline, body, { state: 'running' });
    case 'action.skipped':
      return changeAction(timeline, body, { state: 'skipped', reason: body.reason });
    case 'action.snapshot':
    case 'action.undone':
      return timeline;
    case 'action.lost':
      return changeAction(timeline, body, { state: 'lost' });
    // The story of the goal is told without them; `aish watch` has them.
    case 'network.connection':
    case 'network.changed':
    case 'secrets.changed':
      return timeline;
    case 'action.finished': {
      const { outcome, result } = body;
      const output = outcome?.output ?? result?.text ?? '';
      return changeAction(timeline, body, { state: 'finished', outcome, result, output });
    }
    case 'goal.edited':
    case 'goal.continued':
    case 'goal.check':
    case 'goal.trust':
    case 'goal.noticed':
    case 'grant.used':
    case 'grant.revoked':
      return push(timeline, { type: 'note', text: formatControl(body) });
    case 'chat.created':
    case 'chat.changed':
    case 'message.received':
    case 'answer.started':
    case 'answer.ended':
    case 'exchange.ended':
      return addChatEvent(timeline, body);
  }
}

/** What aish was looking at has been looked at: something else has happened since. */
function lookedAt(timeline: Timeline): Timeline {
  const last = timeline.entries.at(-1);
  if (last?.type !== 'answer' || last.isStreaming || last.doing === null) return timeline;
  return replace(timeline, last, { ...last, doing: null });
}

/** The timeline with live text added. Live text of a step or command that has ended comes late and is dropped. */
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
  const action = findAction(timeline, body.actionId);
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

/** Of its progress a tool's newest word counts, of its log the newest lines. */
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
  // An answer that broke off is asked for again from its beginning.
  if (state === 'paused') return push(restartStep(timeline), { type: 'note', text: reason ?? 'paused' });
  if (state === 'waiting')
    return push(restartStep(timeline), { type: 'wait', for: waitingFor ?? '', reason: reason ?? '' });
  return timeline;
}

/** Entries at the beginning may be gone: then there was more. */
function didIn({ entries, dropped }: Timeline): Effects | null {
  const did = effectsInAll(entries.flatMap((entry) => (entry.type === 'action' ? (entry.outcome ?? []) : [])));
  return did === null || dropped === 0 ? did : { ...did, complete: false };
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
  if (command === undefined) return timeline; // dropped long ago
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

/** What the model wrote before an action knows the commands that stand below it. */
function withCommands(timeline: Timeline, actionId: string): Timeline {
  const { entries } = timeline;
  const at = entries.findLastIndex((entry) => entry.type === 'action' && entry.actionId === actionId);
  const from = entries.slice(0, at).findLastIndex(isOfModel);
  const owner = entries[from];
  if (owner === undefined || !isOfModel(owner)) return timeline;
  const end = entries.findIndex((entry, index) => index > at && isOfModel(entry));
  const commands = entries
    .slice(from + 1, end < 0 ? undefined : end)
    .flatMap((entry) => (entry.type === 'action' && entry.kind === 'command' ? [entry.command] : []));
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
