import type { Goal } from '@aish/contracts/goals';
import { hasEnded } from '@aish/views/goal.state';
import { just, chosenName, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { runLine } from './meta.update.js';
import { openPromptWith } from './prompt.update.js';

/** What is done to the chosen row of a list, or in the chat view to the chat: each is a meta command, run or written. */

const isChat = (name: string | undefined): boolean => name?.startsWith('c') === true;
const isGoal = (name: string | undefined): boolean => name?.startsWith('g') === true;

/** The chosen goal, also where its session is chosen. */
function goalHere(model: Model): Goal | undefined {
  const name = chosenName(model);
  return isGoal(name) ? model.goals?.find(({ number }) => `g${number}` === name) : undefined;
}

export const notOfChats = (model: Model): string | undefined =>
  isChat(chosenName(model)) ? undefined : 'that is for a chat';

export const notOfGoals = (model: Model): string | undefined =>
  isGoal(chosenName(model)) ? undefined : 'that is for a goal';

export const notOfWork = (model: Model): string | undefined =>
  notOfChats(model) === undefined || notOfGoals(model) === undefined ? undefined : 'that is for a goal or a chat';

/** A goal that goes on stays in the lists. */
export function notOfEnded(model: Model): string | undefined {
  const goal = goalHere(model);
  if (goal !== undefined && !hasEnded(goal.state)) return `g${goal.number} goes on: end it first`;
  return notOfWork(model);
}

export function notOfOpenGoals(model: Model): string | undefined {
  const goal = goalHere(model);
  if (goal !== undefined && hasEnded(goal.state)) return `g${goal.number} has ended`;
  return notOfGoals(model);
}

/** R: another title for a chat, another text for a goal. */
export function renameRow(model: Model): Update {
  const name = chosenName(model) ?? '';
  if (isChat(name)) return write(model, `:rename ${name} `, 'what is it called?');
  return write(model, `:set ${name} --text "`, 'what is to be reached from now on?');
}

export function forkRow(model: Model): Update {
  return runLine(model, `:chat fork ${chosenName(model) ?? ''}`);
}

/** A: out of the lists, or back into them. */
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
  return write(model, `:set ${chosenName(model) ?? ''} --network `, 'which hosts, as wiki.example.org:443, or none?');
}

export function tellStory(model: Model): Update {
  return runLine(model, `:show ${chosenName(model) ?? ''}`);
}

function write(model: Model, text: string, question: string): Update {
  return just(withFlash(openPromptWith(model, text), question, 'warn'));
}
