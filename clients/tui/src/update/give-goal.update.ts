import { STEP_BUDGET_MAX } from '@aish/contracts/goals';
import { just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { openPromptWith } from './prompt.update.js';

/** `:norris`: a goal, with `--steps` before it or not. What cannot be read stays in the prompt. */
export function giveGoal(model: Model, rest: string): Update {
  if (rest === '') return ask(model, '', 'what is the goal?');
  if (!rest.startsWith('--')) return create(model, rest);
  const [, count, text = ''] = /^--steps(?:=|\s+)(\S+)\s*([^]*)$/.exec(rest) ?? [];
  if (count === undefined && !/^--steps=?$/.test(rest)) {
    return ask(model, rest, 'of a goal here there is only --steps; more: aish norris --help');
  }
  const steps = /^\d{1,3}$/.test(count ?? '') ? Number(count) : 0;
  if (steps < 1 || steps > STEP_BUDGET_MAX) {
    return ask(model, rest, `--steps takes a number from 1 to ${STEP_BUDGET_MAX}`);
  }
  return text === '' ? ask(model, `${rest} `, 'what is the goal?') : create(model, text, steps);
}

function create(model: Model, text: string, steps?: number): Update {
  // What is said in the chat that is looked at is the goal's background.
  const chat = model.view === 'chat' ? model.chat.session?.id : undefined;
  const more = { ...(steps === undefined ? {} : { steps }), ...(chat === undefined ? {} : { chat }) };
  const effect = { type: 'createGoal', text, ...more } as const;
  return { model: { ...model, view: 'goals' }, effects: [effect] };
}

function ask(model: Model, typed: string, question: string): Update {
  return just(withFlash(openPromptWith(model, `:norris ${typed}`), question, 'warn'));
}
