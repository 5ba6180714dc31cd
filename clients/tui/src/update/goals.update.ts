import type { Goal } from '@aish/contracts/goals';
import type { ApiError } from '@aish/client/api.error';
import { hasEnded } from '@aish/views/goal.state';
import type { Effect } from '../messages.js';
import { chosenGoal, type Model, type Update } from '../model.js';
import { emptyFeed } from '../initial-model.js';
import { withFlash } from './flash.js';
import { promptOf } from './prompt.edit.js';

/** So many goals the list has at most. */
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

/** The chosen goal is too old or too new for what the server sent; else it was archived or deleted. */
function isLeftOut({ unlisted }: Model, goals: readonly Goal[], chosen: Goal): boolean {
  return chosen.id === unlisted || (goals.length >= GOALS_MAX && goals.every(({ number }) => number > chosen.number));
}

/** The chosen goal stays in the list. */
function withGoal(goals: readonly Goal[], chosen: Goal): readonly Goal[] {
  if (goals.some(({ id }) => id === chosen.id)) return goals;
  return [...goals, chosen].toSorted((a, b) => b.number - a.number);
}

/** Shows another goal's timeline, from its beginning. */
function choose(model: Model, goal: Goal): Update {
  if (goal.id === model.chosen) return { model, effects: [] };
  const { id: chosen, sessionId } = goal;
  return {
    model: { ...model, chosen, goalFeed: { ...emptyFeed, sessionId } },
    effects: [{ type: 'followSession', place: 'goal', sessionId }],
  };
}

/** In the list of goals a card is of the goal that is chosen: one that is opened chooses its goal. */
export function withItsGoal({ model, effects }: Update): Update {
  const { overlay, view, goals } = model;
  const goalId = view === 'goals' && overlay?.type === 'halt' ? overlay.decision.goalId : null;
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
  const goals = [goal, ...(model.goals ?? []).filter(({ id }) => id !== goal.id)];
  const chosen = choose({ ...model, goals, view: 'goals', unlisted: goal.id }, goal);
  return { model: chosen.model, effects: [...chosen.effects, { type: 'listGoals' }] };
}

/** What was typed is not lost, unless something else is being typed already. */
export function goalRefused(model: Model, text: string, error: ApiError): Model {
  const isFree = model.prompt.text === '';
  const prompt = isFree ? promptOf(`:norris ${text}`) : model.prompt;
  return withFlash({ ...model, prompt, isPromptOpen: model.isPromptOpen || isFree }, error.message, 'bad');
}

/** Puts a changed goal in its place of the list. */
export function replaceGoal(model: Model, goal: Goal): Model {
  return { ...model, goals: model.goals?.map((each) => (each.id === goal.id ? goal : each)) ?? null };
}

/** Ctrl-C in the goals: the chosen one stops where it is and can go on; it is not ended. Null: nothing of it runs. */
export function interruptGoal(model: Model): Update | null {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  if (goal === undefined || !['queued', 'running', 'waiting'].includes(goal.state)) return null;
  return {
    model: withFlash(model, `goal ${goal.number} stops; r lets it go on, Ctrl-X Ctrl-C aborts it`, 'warn'),
    effects: [{ type: 'pauseGoal', goalId: goal.id }],
  };
}

/** r: a paused goal goes on, one that ended gets more steps; of one that is done the prompt asks what is new. */
export function resumeGoal(model: Model): Update {
  const goal = chosenGoal(model);
  if (goal === undefined) return { model, effects: [] };
  const { id: goalId, number, state } = goal;
  if (state === 'paused') return { model, effects: [{ type: 'resumeGoal', goalId }] };
  if (state === 'done') {
    const asked = { ...model, prompt: promptOf(`:continue g${number} `), isPromptOpen: true };
    return { model: withFlash(asked, `goal ${number} is done: say what is new`), effects: [] };
  }
  if (!hasEnded(state)) return { model: withFlash(model, `goal ${number} is at it already`), effects: [] };
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
