import type { Goal } from '@aish/contracts/goals';
import { hasEnded } from '@aish/views/goal.state';
import { just, chosenName, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { runLine } from './meta.update.js';
import { openPromptWith } from './prompt.update.js';

/**
 * Actions on the selected row, or on the chat on the screen. Each action is a command, which is run or put into the
 * prompt.
 */

const isChat = (name: string | undefined): boolean => name?.startsWith('c') === true;
const isGoal = (name: string | undefined): boolean => name?.startsWith('g') === true;

/** Returns the selected goal, even if its session is selected. */
function goalHere(model: Model): Goal | undefined {
  const name = chosenName(model);
  return isGoal(name) ? model.goals?.find(({ number }) => `g${number}` === name) : undefined;
}

export const notOfChats = (model: Model): string | undefined =>
  isChat(chosenName(model)) ? undefined : 'only for a chat';

export const notOfGoals = (model: Model): string | undefined =>
  isGoal(chosenName(model)) ? undefined : 'only for a goal';

export const notOfWork = (model: Model): string | undefined =>
  notOfChats(model) === undefined || notOfGoals(model) === undefined ? undefined : 'only for a goal or a chat';

/** Returns the reason why an active goal cannot be removed from the lists. */
export function notOfEnded(model: Model): string | undefined {
  const goal = goalHere(model);
  if (goal !== undefined && !hasEnded(goal.state)) return `g${goal.number} has not ended: end it first`;
  return notOfWork(model);
}

export function notOfOpenGoals(model: Model): string | undefined {
  const goal = goalHere(model);
  if (goal !== undefined && hasEnded(goal.state)) return `g${goal.number} has ended`;
  return notOfGoals(model);
}

/** Renames a chat, or changes the text of a goal (key R). */
export function renameRow(model: Model): Update {
  const name = chosenName(model) ?? '';
  if (isChat(name)) return write(model, `:rename ${name} `, 'what is the new title?');
  return write(model, `:set ${name} --text "`, 'what is the new goal?');
}

export function forkRow(model: Model): Update {
  return runLine(model, `:chat fork ${chosenName(model) ?? ''}`);
}

/** Archives the selected goal or chat, or restores it (key A). */
export function archiveRow(model: Model): Update {
  const name = chosenName(model) ?? '';
  const verb = goalHere(model)?.archived === true ? 'restore' : 'archive';
  return runLine(model, `:${verb} ${name}`);
}

export function deleteRow(model: Model): Update {
  return runLine(model, `:remove ${chosenName(model) ?? ''}`);
}

export function changePriority(model: Model): Update {
  const goal = goalHere(model);
  const is = goal === undefined ? '' : `it is ${goal.priority}: `;
  return write(model, `:set ${chosenName(model) ?? ''} --priority `, `${is}high, normal or low?`);
}

export function changeNetwork(model: Model): Update {
  return write(
    model,
    `:set ${chosenName(model) ?? ''} --network `,
    'which hosts, such as wiki.example.org:443, or none?',
  );
}

export function tellStory(model: Model): Update {
  return runLine(model, `:show ${chosenName(model) ?? ''}`);
}

function write(model: Model, text: string, question: string): Update {
  return just(withFlash(openPromptWith(model, text), question, 'warn'));
}
