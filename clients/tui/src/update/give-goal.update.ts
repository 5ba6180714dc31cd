import { GOAL_OPTIONS, goalOptionTakes, readGoalOption, type GoalOptions } from '@aish/views/goal.options';
import { just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { openPromptWith } from './prompt.update.js';

/** The options that the prompt accepts before a goal's text. */
const HERE = ['steps', 'space', 'trust', 'priority'] as const;
type Here = (typeof HERE)[number];
const isOption = (name: string): name is Here => HERE.some((each) => each === name);

/** Handles `:norris`, a goal with optional options. A line that cannot be parsed stays in the prompt. */
export function giveGoal(model: Model, rest: string): Update {
  let options: GoalOptions = {};
  let text = rest;
  for (let option = OPTION.exec(text); option !== null; option = OPTION.exec(text)) {
    const [, name = '', value = '', more = ''] = option;
    if (!isOption(name)) {
      const known = HERE.map((each) => `--${each}`);
      return ask(model, rest, `the options of a goal here are ${known.join(', ')}; more: aish run --help`);
    }
    const read = readGoalOption(GOAL_OPTIONS[name], value);
    if (read === undefined) return ask(model, rest, `--${name} takes ${goalOptionTakes(GOAL_OPTIONS[name])}`);
    options = { ...options, [name]: read };
    text = more;
  }
  return text === '' ? ask(model, rest === '' ? '' : `${rest} `, 'what is the goal?') : create(model, text, options);
}

/** This matches `--steps 3 …` and `--steps=3 …`. */
const OPTION = /^--([a-z-]*)(?:(?:=|\s+)(\S*))?\s*([^]*)$/;

function create(model: Model, text: string, options: GoalOptions): Update {
  // The conversation in the chat on the screen is the goal's background.
  const chat = model.view === 'chat' ? model.chat.session?.id : undefined;
  const effect = { type: 'createGoal', text, ...options, ...(chat === undefined ? {} : { chat }) } as const;
  if (model.isInline) return { model, effects: [effect] };
  // A person who gave the goal in a chat may still be typing. Those keys must not act on the list.
  return { model: { ...model, view: 'goals', isUnasked: model.view !== 'goals' }, effects: [effect] };
}

function ask(model: Model, typed: string, question: string): Update {
  return just(withFlash(openPromptWith(model, `:norris ${typed}`), question, 'warn'));
}
