import type { Goal } from '@aish/contracts/goals';
import { hasEnded } from '@aish/views/goal.state';
import { activeGoals, chosenGoal, just, type Model, type Update } from '../model.js';
import { goalNames } from './completion.update.js';
import { withFlash } from './flash.js';
import { askCancel } from './goals.update.js';
import { openPromptWith } from './prompt.update.js';

const COMMAND = ':cancel ';

/**
 * Ends a goal after a question. Without a name it takes the selected or the only goal. If there are several, it asks
 * for one.
 */
export function leaveGoal(model: Model, name: string): Update {
  if (name !== '') return just(leaveNamed(model, name));
  const chosen = model.view === 'goals' ? chosenGoal(model) : undefined;
  if (chosen !== undefined && !hasEnded(chosen.state)) return just(askCancel(model, chosen));
  const [only, ...others] = activeGoals(model);
  if (only === undefined) return just(withFlash(model, 'Norris has no goal'));
  return just(others.length === 0 ? askCancel(model, only) : askWhich(model, [only, ...others]));
}

function leaveNamed(model: Model, name: string): Model {
  const number = Number(/^g?(\d{1,9})$/i.exec(name)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return withFlash(model, `“${name}” is not a goal; write it as g4`, 'bad');
  const goal = model.goals?.find((each) => each.number === number);
  if (goal === undefined) return withFlash(model, `there is no goal ${number} in the list`, 'bad');
  return hasEnded(goal.state) ? withFlash(model, `goal ${number} has already ended`) : askCancel(model, goal);
}

function askWhich(model: Model, goals: readonly Goal[]): Model {
  const asking = openPromptWith(model, COMMAND);
  const completion = { items: goalNames(goals), chosen: -1, from: COMMAND.length };
  return withFlash({ ...asking, completion }, 'which one? Press Tab to choose', 'warn');
}
