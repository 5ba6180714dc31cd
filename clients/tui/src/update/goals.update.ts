import { GOAL_TEXT_MAX_CHARS, type Goal } from '@aish/contracts';
import { chosenGoal, type Model, type Update } from '../model.js';
import { emptyTimeline } from '../timeline/timeline.js';
import { parsePrompt } from '../keys/meta-commands.js';
import { withFlash } from './flash.js';
import { emptyPrompt } from './prompt.edit.js';

export function takeGoals(model: Model, goals: readonly Goal[]): Update {
  const chosen = chosenGoal(model);
  if (chosen !== undefined) return { model: { ...model, goals: withGoal(goals, chosen) }, effects: [] };
  const listed = { ...model, goals };
  const first = goals.find(({ state }) => state === 'halted' || state === 'running') ?? goals[0];
  return first === undefined ? { model: listed, effects: [] } : choose(listed, first);
}

/** The chosen goal stays in the list, also when it is too old or too new for what the server sent. */
function withGoal(goals: readonly Goal[], chosen: Goal): readonly Goal[] {
  if (goals.some(({ id }) => id === chosen.id)) return goals;
  return [...goals, chosen].toSorted((a, b) => b.number - a.number);
}

/** Shows another goal's timeline, from its beginning. */
export function choose(model: Model, goal: Goal): Update {
  if (goal.id === model.chosen) return { model, effects: [] };
  const { id: chosen, sessionId } = goal;
  const fresh = { timeline: emptyTimeline, timelineTrouble: null, scrollTop: null };
  return {
    model: { ...model, ...fresh, chosen, followed: sessionId },
    effects: [{ type: 'followSession', sessionId }],
  };
}

export function chooseNeighbour(model: Model, by: 1 | -1): Update {
  const goals = model.goals ?? [];
  const at = goals.findIndex(({ id }) => id === model.chosen);
  const next = goals[Math.min(goals.length - 1, Math.max(0, at + by))];
  return next === undefined ? { model, effects: [] } : choose(model, next);
}

export function goalCreated(model: Model, goal: Goal): Update {
  const goals = [goal, ...(model.goals ?? []).filter(({ id }) => id !== goal.id)];
  const chosen = choose({ ...model, goals }, goal);
  return { model: chosen.model, effects: [...chosen.effects, { type: 'listGoals' }] };
}

/** Puts a changed goal in its place of the list. */
export function replaceGoal(model: Model, goal: Goal): Model {
  return { ...model, goals: model.goals?.map((each) => (each.id === goal.id ? goal : each)) ?? null };
}

export function askCancel(model: Model): Model {
  const goal = chosenGoal(model);
  return goal === undefined ? model : { ...model, overlay: { type: 'cancel', goalId: goal.id, number: goal.number } };
}

/** Carries out what stands in the prompt. */
export function submit(model: Model): Update {
  const read = parsePrompt(model.prompt.text);
  const done = { ...model, prompt: emptyPrompt };
  switch (read.type) {
    case 'goal':
      if (read.text === '') return { model: done, effects: [] };
      if (read.text.length > GOAL_TEXT_MAX_CHARS) {
        const tooLong = `a goal has at most ${GOAL_TEXT_MAX_CHARS} characters; this has ${read.text.length}`;
        return { model: withFlash(model, tooLong, 'bad'), effects: [] };
      }
      return { model: done, effects: [{ type: 'createGoal', text: read.text }] };
    case 'norris off':
      return { model: askCancel(done), effects: [] };
    case 'goals':
      return { model: done, effects: [{ type: 'listGoals' }, { type: 'listDecisions' }] };
    case 'safety patterns':
      return { model: done, effects: [{ type: 'listSafetyRules' }] };
    case 'safety check':
      return { model: done, effects: [{ type: 'checkSafety', command: read.command }] };
    case 'help':
      return { model: { ...done, overlay: { type: 'help', top: 0 } }, effects: [] };
    case 'quit':
      return { model: done, effects: [{ type: 'quit' }] };
    case 'wrong':
      return { model: withFlash(model, read.message, 'bad'), effects: [] };
  }
}
