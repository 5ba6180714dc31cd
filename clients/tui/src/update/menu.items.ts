import { takesAnswer } from '@aish/contracts/decision-rules';
import type { Goal } from '@aish/contracts/goals';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { hasEnded } from '@aish/views/goal.state';
import type { Action } from '@aish/views/key-actions';
import { keyLabel } from '../keys/binding.js';
import { META_COMMANDS, needsMore } from '../meta/meta-command.js';
import {
  chosenGoal,
  just,
  chosenName,
  type Binding,
  type Menu,
  type MenuItem,
  type Model,
  type Update,
} from '../model.js';
import { withFlash } from './flash.js';
import { runLine } from './meta.update.js';
import { openPromptWith } from './prompt.update.js';
import type { ViewId } from '../view-id.js';

/**
 * An action for the selection. The most wanted ones come first. A line is run, or is put into the prompt if it ends
 * with a blank.
 */
type Entry =
  | Action
  | {
      readonly action: Action;
      readonly about: string;
      readonly when: (model: Model) => boolean;
    }
  | {
      readonly line: (model: Model) => string;
      readonly about: string;
      readonly when?: (model: Model) => boolean;
    };

const hasChat = ({ chat }: Model): boolean => chat.session !== null;
const hasEndedHere = (model: Model): boolean => hasEnded(chosenGoal(model)?.state ?? 'running');
const goesOn = (model: Model): boolean => chosenGoal(model) !== undefined && !hasEndedHere(model);
const canPause = (model: Model): boolean => ['queued', 'running', 'waiting'].includes(chosenGoal(model)?.state ?? '');
const canGoOn = (model: Model): boolean => chosenGoal(model)?.state === 'paused' || hasEndedHere(model);
const isHalted = (model: Model): boolean => model.decisions.some(({ goalId }) => goalId === model.chosen);
const isAction = ({ decisions, decisionAt }: Model): boolean => {
  const decision = decisions[decisionAt];
  return decision !== undefined && !takesAnswer(decision.kind);
};

const HERE: Readonly<Record<ViewId, readonly Entry[]>> = {
  chat: [
    { action: 'undoCommand', about: 'undo a command of this chat', when: hasChat },
    { line: () => ':file list', about: 'the files of this chat', when: hasChat },
    { line: () => ':save ', about: 'give it a title', when: hasChat },
    {
      line: (model) => `:chat fork ${chosenName(model) ?? ''}`,
      about: 'a new chat with this history',
      when: hasChat,
    },
    {
      line: (model) => `:set ${chosenName(model) ?? ''} --network `,
      about: 'what its commands may access',
      when: hasChat,
    },
    {
      line: (model) => `:archive ${chosenName(model) ?? ''}`,
      about: 'archive it',
      when: hasChat,
    },
    {
      line: (model) => `:remove ${chosenName(model) ?? ''}`,
      about: 'delete it with its files',
      when: hasChat,
    },
  ],
  goals: [
    { action: 'openDecision', about: 'answer its decision', when: isHalted },
    { action: 'interrupt', about: 'pause it', when: canPause },
    { action: 'resumeRow', about: 'resume it', when: canGoOn },
    {
      line: (model) => `:resume ${chosenName(model) ?? ''} `,
      about: 'continue it with a new message',
      when: hasEndedHere,
    },
    { line: (model) => `:steer ${chosenName(model) ?? ''} `, about: 'send a message to its model', when: goesOn },
    { line: () => ':ask ', about: 'ask about it', when: hasEndedHere },
    { action: 'abortNorris', about: 'abort it', when: goesOn },
    'tellStory',
    'undoCommand',
    'openGrants',
    'changePriority',
    {
      line: (model) => `:set ${chosenName(model) ?? ''} --trust `,
      about: 'ask before deleting, or only if undo cannot restore it',
      when: (model) => chosenGoal(model) !== undefined && chosenGoal(model)?.state !== 'done',
    },
    'changeNetwork',
    { line: () => ':show --access', about: 'its access, allowed and used' },
    'renameRow',
    {
      line: (model) => `:norris ${asGiven(chosenGoal(model))}`,
      about: 'run the same goal again, or in another space',
    },
    { line: (model) => `:export ${chosenName(model) ?? ''} `, about: 'write its history to a file' },
    'archiveRow',
    'deleteRow',
  ],
  decisions: [
    { action: 'openRow', about: 'answer it', when: (model) => chosenName(model) !== undefined },
    { line: (model) => `:decide ${chosenName(model) ?? ''} skip `, about: 'skip it with a note', when: isAction },
    {
      line: (model) => `:show ${chosenName(model) ?? ''}`,
      about: 'all details',
      when: (model) => chosenName(model) !== undefined,
    },
  ],
  memory: ['acceptRow', 'editRow', 'removeRow', 'copyRow'],
  knowledge: [
    'openRow',
    'nextLink',
    'linkBack',
    'copyRow',
    { line: (model) => `:kb show ${nodeOf(model)}`, about: 'the whole node', when: (model) => nodeOf(model) !== '' },
    {
      line: (model) => `:kb merge ${nodeOf(model)} `,
      about: 'merge other nodes into it',
      when: (model) => nodeOf(model) !== '',
    },
    {
      line: (model) => `:kb split ${nodeOf(model)} `,
      about: 'split headlines off into nodes',
      when: (model) => nodeOf(model) !== '',
    },
    {
      line: (model) => `:kb remove ${nodeOf(model)}`,
      about: 'delete it; first shows the plan',
      when: (model) => nodeOf(model) !== '',
    },
  ],
  sessions: [
    { action: 'openRow', about: 'continue it', when: (model) => chosenName(model) !== undefined },
    'renameRow',
    'forkRow',
    'tellStory',
    'changeNetwork',
    'archiveRow',
    'deleteRow',
  ],
  help: [],
};

/** Returns menu lines that contain all typed words, best first. */
export function menuItems(model: Model, kind: Menu['kind'], filter: string): readonly MenuItem[] {
  const items = kind === 'row' ? hereItems(model) : [...hereItems(model), ...commandItems(), ...keyItems(model)];
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const textOf = ({ label, about }: MenuItem) => `${label} ${about}`.toLowerCase();
  const fits = items.filter((item) => words.every((word) => textOf(item).includes(word)));
  const rank = ({ label }: MenuItem): number => {
    const name = label.toLowerCase().replace(/^:/, '');
    return words.length === 0 || name.startsWith(words.join(' ')) ? 0 : name.includes(words[0] ?? '') ? 1 : 2;
  };
  return fits.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns the actions for the selection. */
export function hereItems(model: Model): readonly MenuItem[] {
  return HERE[model.view].flatMap((entry) => itemOf(model, entry) ?? []);
}

function itemOf(model: Model, entry: Entry): MenuItem | undefined {
  if (typeof entry === 'string') return actionItem(model, entry);
  if (entry.when?.(model) === false) return undefined;
  if ('action' in entry) return actionItem(model, entry.action, entry.about);
  const line = entry.line(model);
  return { label: line.trimEnd(), about: entry.about, run: (at) => runOrWrite(at, line) };
}

function actionItem(model: Model, action: Action, about?: string): MenuItem | undefined {
  const place = model.view === 'chat' ? 'empty prompt' : 'list';
  const binding = model.keys.find((each) => each.action === action && each.places.includes(place));
  if (binding === undefined || binding.unavailable?.(model) !== undefined) return undefined;
  return { label: labelOf(binding), about: about ?? binding.help ?? '', run: runOf(binding) };
}

const labelOf = ({ keys: [key = ''] }: Binding): string => keyLabel(key);

function commandItems(): readonly MenuItem[] {
  return META_COMMANDS.map((command) => ({
    label: `:${command.name}${command.takes === undefined ? '' : ` ${command.takes}`}`,
    about: command.does,
    run: (model) => runOrWrite(model, `:${command.name}${needsMore(command) ? ' ' : ''}`),
  }));
}

/** Returns keys with an action of their own. Keys that only move in a text or list are omitted. */
function keyItems(model: Model): readonly MenuItem[] {
  const place = model.view === 'chat' ? 'empty prompt' : 'list';
  return model.keys.flatMap((binding) => {
    const { help, places, unavailable, action } = binding;
    const isOfUse = help !== null && places.includes(place) && unavailable?.(model) === undefined;
    return isOfUse && action !== 'openPalette' ? [{ label: labelOf(binding), about: help, run: runOf(binding) }] : [];
  });
}

/**
 * Returns the function of a menu line. The action may have become unavailable since the menu opened, and then the
 * function says why.
 */
function runOf({ unavailable, run }: Binding): MenuItem['run'] {
  return (model) => {
    const whyNot = unavailable?.(model);
    return whyNot === undefined ? run(model) : just(withFlash(model, whyNot));
  };
}

function runOrWrite(model: Model, line: string): Update {
  return line.endsWith(' ') ? just(openPromptWith(model, line)) : runLine(model, line);
}

function nodeOf({ panes: { knowledge } }: Model): string {
  return knowledge.trail.at(-1) ?? knowledge.chosen ?? '';
}

/** Returns a command that runs the same goal again, with the options that differ from the defaults. */
function asGiven(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const { text, space, trust, priority } = goal;
  const options = [
    ...(space === DEFAULT_SPACE ? [] : [`--space ${space}`]),
    ...(trust === 'ask' ? [] : [`--trust ${trust}`]),
    ...(priority === 'normal' ? [] : [`--priority ${priority}`]),
  ];
  return [...options, text, ''].join(' ');
}
