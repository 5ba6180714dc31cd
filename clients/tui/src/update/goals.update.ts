import type { Goal } from '@aish/contracts/goals';
import type { ApiError } from '@aish/client/api.error';
import { hasEnded } from '@aish/views/goal.state';
import type { Effect } from '../messages.js';
import { chosenGoal, type Model, type Update } from '../model.js';
import { emptyFeed } from '../initial-model.js';
import { withFlash } from './flash.js';
import { promptOf } from './prompt.edit.js';
import { giveCommandBack } from './prompt.update.js';

/** Maximum number of goals in the list. */
export const GOALS_MAX = 200;

export function goalsListed(model: Model, goals: readonly Goal[]): Update {
  const chosen = chosenGoal(model);
  const isListed = goals.some(({ id }) => id === model.chosen);
  if (chosen !== undefined && (isListed || isLeftOut(model, goals, chosen))) {
    const unlisted = isListed ? null : model.unlisted;
    return { model: { ...model, unlisted, goals: withGoal(goals, chosen) }, effects: [] };
  }
  const listed = { ...model, goals, wanted: null };
  const at = (model.goals ?? []).findIndex(({ id }) => id === model.chosen);
  const next =
    goals.find(({ id }) => id === model.wanted) ??
    (at < 0 ? undefined : goals[Math.min(at, goals.length - 1)]) ??
    goals.find(({ state }) => state === 'halted' || state === 'running') ??
    goals[0];
  if (next !== undefined) return choose(listed, next);
  const effects: readonly Effect[] = at < 0 ? [] : [{ type: 'followSession', place: 'goal', sessionId: null }];
  return { model: { ...listed, chosen: null, goalFeed: emptyFeed }, effects };
}

/**
 * Returns whether the selected goal is outside the range that the server sent. If it is inside and missing, it was
 * archived or deleted.
 */
function isLeftOut({ unlisted }: Model, goals: readonly Goal[], chosen: Goal): boolean {
  return chosen.id === unlisted || (goals.length >= GOALS_MAX && goals.every(({ number }) => number > chosen.number));
}

/** Keeps the selected goal in the list. */
function withGoal(goals: readonly Goal[], chosen: Goal): readonly Goal[] {
  if (goals.some(({ id }) => id === chosen.id)) return goals;
  return [...goals, chosen].toSorted((a, b) => b.number - a.number);
}

/** Shows another goal's timeline from its beginning. */
function choose(model: Model, goal: Goal): Update {
  if (goal.id === model.chosen) return { model, effects: [] };
  const { id: chosen, sessionId } = goal;
  return {
    model: { ...model, chosen, goalFeed: { ...emptyFeed, sessionId } },
    effects: [{ type: 'followSession', place: 'goal', sessionId }],
  };
}

/**
 * Selects the goal of an opened decision, because a card in the list of goals belongs to the selected goal. Inline, the
 * steps of the selected goal are above the card.
 */
export function withItsGoal({ model, effects }: Update): Update {
  const { overlay, view, goals, isInline } = model;
  const goalId = (view === 'goals' || isInline) && overlay?.type === 'halt' ? overlay.decision.goalId : null;
  const goal = goals?.find(({ id }) => id === goalId);
  if (goal === undefined) return { model, effects };
  const chosen = choose(model, goal);
  return { model: chosen.model, effects: [...effects, ...chosen.effects] };
}

export function chooseNeighbour(model: Model, by: number): Update {
  const goals = model.goals ?? [];
  const at = goals.findIndex(({ id }) => id === model.chosen);
  const next = goals[Math.min(goals.length - 1, Math.max(0, at + by))];
  return next === undefined ? { model, effects: [] } : choose(model, next);
}

export function goalCreated(model: Model, goal: Goal): Update {
  const view = model.isInline ? model.view : 'goals'; // inline, its steps are printed below the chat
  const goals = [goal, ...(model.goals ?? []).filter(({ id }) => id !== goal.id)];
  const chosen = choose({ ...model, goals, view, unlisted: goal.id }, goal);
  return { model: chosen.model, effects: [...chosen.effects, { type: 'listGoals' }] };
}

export function goalRefused(model: Model, text: string, error: ApiError): Model {
  return giveCommandBack(model, `:norris ${text}`, error.message);
}

export function replaceGoal(model: Model, goal: Goal): Model {
  return { ...model, goals: model.goals?.map((each) => (each.id === goal.id ? goal : each)) ?? null };
}

/** Pauses the selected goal (Ctrl-C in the goals). Returns null if the goal is not running. */
export function interruptGoal(model: Model): Update | null {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  if (goal === undefined || !['queued', 'running', 'waiting'].includes(goal.state)) return null;
  return {
    model: withFlash(model, `goal ${goal.number} is pausing; r resumes it, Ctrl-X Ctrl-C aborts it`, 'warn'),
    effects: [{ type: 'pauseGoal', goalId: goal.id }],
  };
}

/**
 * Resumes a paused goal, and gives an ended goal more steps (key r). For a done goal the prompt asks for the new work.
 */
export function resumeGoal(model: Model): Update {
  const goal = chosenGoal(model);
  if (goal === undefined) return { model, effects: [] };
  const { id: goalId, number, state } = goal;
  if (state === 'paused') return { model, effects: [{ type: 'resumeGoal', goalId }] };
  if (state === 'done') {
    const asked = { ...model, prompt: promptOf(`:resume g${number} `), isPromptOpen: true };
    return { model: withFlash(asked, `goal ${number} is done. Say what to do next`), effects: [] };
  }
  if (!hasEnded(state)) return { model: withFlash(model, `goal ${number} is already working`), effects: [] };
  const text = `more steps for goal ${number}? y/N `;
  return {
    model: { ...model, overlay: { type: 'question', text, yes: { type: 'continueGoal', goalId } } },
    effects: [],
  };
}

/** Asks before it ends a goal. */
export function askCancel(model: Model, goal: Goal): Model {
  const text = `abort goal ${goal.number}? y/N `;
  return { ...model, overlay: { type: 'question', text, yes: { type: 'cancelGoal', goalId: goal.id } } };
}
