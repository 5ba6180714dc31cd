import { GOAL_OPTIONS, goalOptionTakes, readGoalOption, type GoalOptions } from '@aish/views/goal.options';
import { just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { openPromptWith } from './prompt.update.js';

/** What may stand before the text of a goal here. */
const HERE = ['steps', 'space', 'trust', 'priority'] as const;
type Here = (typeof HERE)[number];
const isOption = (name: string): name is Here => HERE.some((each) => each === name);

/** `:norris`: a goal, with options before it or not. What cannot be read stays in the prompt. */
export function giveGoal(model: Model, rest: string): Update {
  let options: GoalOptions = {};
  let text = rest;
  for (let option = OPTION.exec(text); option !== null; option = OPTION.exec(text)) {
    const [, name = '', value = '', more = ''] = option;
    if (!isOption(name)) {
      const known = HERE.map((each) => `--${each}`);
      return ask(model, rest, `of a goal here there are ${known.join(', ')}; more: aish run --help`);
    }
    const read = readGoalOption(GOAL_OPTIONS[name], value);
    if (read === undefined) return ask(model, rest, `--${name} takes ${goalOptionTakes(GOAL_OPTIONS[name])}`);
    options = { ...options, [name]: read };
    text = more;
  }
  return text === '' ? ask(model, rest === '' ? '' : `${rest} `, 'what is the goal?') : create(model, text, options);
}

/** `--steps 3 …` or `--steps=3 …` */
const OPTION = /^--([a-z-]*)(?:(?:=|\s+)(\S*))?\s*([^]*)$/;

function create(model: Model, text: string, options: GoalOptions): Update {
  // What is said in the chat that is looked at is the goal's background.
  const chat = model.view === 'chat' ? model.chat.session?.id : undefined;
  const effect = { type: 'createGoal', text, ...options, ...(chat === undefined ? {} : { chat }) } as const;
  // A person who gave it in a chat may still be typing. Those keys must not act on the list.
  return { model: { ...model, view: 'goals', isUnasked: model.view !== 'goals' }, effects: [effect] };
}

function ask(model: Model, typed: string, question: string): Update {
  return just(withFlash(openPromptWith(model, `:norris ${typed}`), question, 'warn'));
}
