import { Priority, STEP_BUDGET_MAX } from '@aish/contracts/goals';
import { Trust } from '@aish/contracts/trust';
import type { GoalOptions } from '../messages.js';
import { just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { openPromptWith } from './prompt.update.js';

/** What each option takes; undefined for what it does not. */
const READERS: Readonly<Record<keyof GoalOptions, (value: string) => GoalOptions | undefined>> = {
  steps: (value) => {
    const steps = /^\d{1,3}$/.test(value) ? Number(value) : 0;
    return steps < 1 || steps > STEP_BUDGET_MAX ? undefined : { steps };
  },
  space: (value) => (value === '' ? undefined : { space: value }),
  trust: (value) => (Trust.safeParse(value).success ? { trust: Trust.parse(value) } : undefined),
  priority: (value) => (Priority.safeParse(value).success ? { priority: Priority.parse(value) } : undefined),
};

const TAKES: Readonly<Record<keyof GoalOptions, string>> = {
  steps: `a number from 1 to ${STEP_BUDGET_MAX}`,
  space: 'the name of a space: :spaces lists them',
  trust: Trust.options.join(' or '),
  priority: Priority.options.join(', '),
};

const isOption = (name: string): name is keyof GoalOptions => Object.hasOwn(READERS, name);

/** `:norris`: a goal, with options before it or not. What cannot be read stays in the prompt. */
export function giveGoal(model: Model, rest: string): Update {
  let options: GoalOptions = {};
  let text = rest;
  for (let option = OPTION.exec(text); option !== null; option = OPTION.exec(text)) {
    const [, name = '', value = '', more = ''] = option;
    if (!isOption(name)) {
      const known = Object.keys(READERS).map((each) => `--${each}`);
      return ask(model, rest, `of a goal here there are ${known.join(', ')}; more: aish norris --help`);
    }
    const read = READERS[name](value);
    if (read === undefined) return ask(model, rest, `--${name} takes ${TAKES[name]}`);
    options = { ...options, ...read };
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
  // Whoever gave it in a chat may type on there, and must not press keys of the list with it.
  return { model: { ...model, view: 'goals', isUnasked: model.view !== 'goals' }, effects: [effect] };
}

function ask(model: Model, typed: string, question: string): Update {
  return just(withFlash(openPromptWith(model, `:norris ${typed}`), question, 'warn'));
}
