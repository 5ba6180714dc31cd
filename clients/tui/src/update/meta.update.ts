import { SHOWN, TEXT, reloadsOf, type MetaCommand, type Reload } from '../meta/meta-command.js';
import { parsePrompt, splitWords, type PromptLine } from '../meta/meta-commands.js';
import type { Effect } from '../messages.js';
import { just, chosenGoal, type Model, type Update } from '../model.js';
import { promptOf, emptyPrompt } from './prompt.edit.js';
import { askAbout, chooseModel, clearChat, say } from './chat.update.js';
import { copyFrom } from './copy.update.js';
import { leaveEnded } from './draft.update.js';
import { find } from './find.update.js';
import { hasEnded } from '@aish/views/goal.state';
import { withFlash } from './flash.js';
import { giveGoal } from './give-goal.update.js';
import { leaveGoal } from './leave-goal.update.js';
import { withEntry } from '../history.js';
import { runCommand } from './own-command.update.js';
import { showView } from './panes.update.js';

/** Handles Enter: the line is a message in the chat, a goal for Norris, or (anywhere) a command. */
export function submit(model: Model): Update {
  const text = model.prompt.text.trim();
  if (text === '') return { model: { ...model, isPromptOpen: false }, effects: [] };
  const parsed = parsePrompt(text);
  if (parsed.type === 'wrong') return { model: withFlash(model, parsed.message, 'bad'), effects: [] };
  if (parsed.type === 'text' && parsed.hint !== null && model.flash?.text !== parsed.hint) {
    return { model: withFlash(model, parsed.hint, 'warn'), effects: [] };
  }
  if (parsed.type === 'own' && model.isCommandRunning) {
    return just(withFlash(model, 'a command of yours still runs: Ctrl-C stops it', 'warn'));
  }
  const history = { entries: withEntry(model.history.entries, text), at: null, draft: '' };
  const sent: Model = { ...model, prompt: emptyPrompt, isPromptOpen: false, completion: null, history };
  const done = carryOut(sent, text, parsed);
  return { model: withNote(done.model, parsed), effects: [{ type: 'remember', line: text }, ...done.effects] };
}

function carryOut(model: Model, text: string, parsed: Exclude<PromptLine, { type: 'wrong' }>): Update {
  switch (parsed.type) {
    case 'text':
      return say({ ...model, view: 'chat' }, text);
    case 'own':
      return runCommand(model, parsed.command);
    case 'meta':
      return run(model, parsed.command, parsed.rest);
  }
}

/** Adds the current spelling of an old command to an error. */
function withNote(model: Model, parsed: PromptLine): Model {
  if (parsed.type !== 'meta' || parsed.note === null) return model;
  const { flash } = model;
  const isToldMore = flash !== null && flash.style !== 'dim';
  return withFlash(model, isToldMore ? `${flash.text} (${parsed.note})` : parsed.note, 'warn');
}

/** Runs the command of a key or menu. Typed text stays. */
export function runLine(model: Model, line: string): Update {
  const parsed = parsePrompt(line);
  return parsed.type === 'meta' ? run(model, parsed.command, parsed.rest) : just(model);
}

function run(model: Model, command: MetaCommand, rest: string): Update {
  const here = HERE[command.name]?.(model, rest) ?? null;
  if (here !== null) return here;
  const { name, aish } = command;
  const [first = ''] = rest.split(' ');
  const isAboutShown = SHOWN.has(name) && !(name === 'steer' ? GOAL : REFERENCE).test(first);
  const shown = shownName(model);
  if (isAboutShown && shown === undefined) {
    return just(withFlash(model, `:${name} needs a chat: send a message first, or use :resume`, 'bad'));
  }
  const chat = model.chat.session?.id;
  const title = `:${name}${rest === '' ? '' : ` ${rest}`}`;
  const effect: Effect = {
    type: 'runMeta',
    title,
    words: [
      ...(aish ?? name).split(' '),
      ...(isAboutShown && shown !== undefined ? [shown] : []),
      ...(name === 'remember' && chat !== undefined ? ['--session', chat] : []),
      ...(TEXT.has(name) ? rest.split(/\s+/).filter((word) => word !== '') : splitWords(rest)),
    ],
    reload: reloadsOf(name),
  };
  return { model: withFlash(model, `${title} …`, 'dim'), effects: [effect] };
}

/** This matches `g4`, `c12`, `d17`, `4.3` and UUIDs. */
const REFERENCE = /^(?:[gcd]-?)?\d+(?:\.\d+)?$|^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** A message may begin with a number, so a goal needs the letter. */
const GOAL = /^g-?\d+$/i;

/** Returns the name of the goal on the screen, or else of the chat. */
function shownName(model: Model): string | undefined {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  if (goal !== undefined) return `g${goal.number}`;
  return model.chat.session === null ? undefined : `c${model.chat.session.number}`;
}

/** Asks before an undo, because later changes in the workspace are lost too. */
function askUndo(model: Model, decision: string): Update | null {
  if (decision === '--list') {
    const shown = shownName(model);
    if (shown === undefined) return just(withFlash(model, 'select a goal first, or send a message', 'bad'));
    return {
      model,
      effects: [{ type: 'runMeta', title: ':undo --list', words: ['undo', shown, '--list'], reload: [] }],
    };
  }
  if (decision.includes(' ')) return null;
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  const newest = goal === undefined ? ['undo'] : ['undo', '--goal', String(goal.number)];
  const what = decision === '' ? `the newest command${goal === undefined ? '' : ` of goal ${goal.number}`}` : decision;
  const words = decision === '' ? newest : ['undo', decision];
  const title = `:undo ${decision}`.trimEnd();
  const yes: Effect = { type: 'runMeta', title, words: [...words, '--yes'], reload: [] };
  const text = `restore the workspace to before ${what}? later changes are lost  y/N `;
  return just({ ...model, overlay: { type: 'question', text, yes } });
}

/** Asks before an action that cannot be undone. */
function askFirst(model: Model, text: string, words: readonly string[], reload: readonly Reload[]): Update {
  const yes: Effect = { type: 'runMeta', title: `:${words.join(' ')}`, words, reload };
  return just({ ...model, overlay: { type: 'question', text: `${text} y/N `, yes } });
}

/** This program runs these commands itself. If a function returns null, the `aish` command runs. */
const HERE: Readonly<Record<string, (model: Model, rest: string) => Update | null>> = {
  model: (model, rest) => (rest === '' ? just(withModels(model)) : chooseModel(model, rest)),
  history: (model) => {
    const { chat } = model;
    return showView({ ...model, isUnfolded: true, chat: { ...chat, feed: { ...chat.feed, top: 0 } } }, 'chat');
  },
  save: (model, title) => {
    const { session } = model.chat;
    if (session === null) return just(withFlash(model, 'there is no session yet: send a message first', 'bad'));
    return { model, effects: [{ type: 'changeChat', sessionId: session.id, change: { title } }] };
  },
  resume: (model, rest) =>
    /^g-?\d+(?: |$)/i.test(rest)
      ? null
      : { model, effects: [{ type: 'openSession', reference: rest === '' ? null : rest }] },
  clear: clearChat,
  run: giveGoal,
  cancel: leaveGoal,
  ask: (model, question) => {
    const goal = chosenGoal(model);
    if (goal === undefined) return just(withFlash(model, 'select a goal first: :goals', 'bad'));
    // The story shows the end before the list does, and a message to an ended goal would be refused.
    const isOver = hasEnded(goal.state) || model.goalFeed.timeline.entries.at(-1)?.type === 'end';
    return isOver ? askAbout(model, goal, question) : runLine(model, `:steer g${goal.number} ${question}`);
  },
  chats: (model, rest) => (rest === '' ? showView(model, 'sessions') : null),
  goals: (model, rest) => (rest === '' ? showView(model, 'goals') : null),
  decisions: (model) => showView(model, 'decisions'),
  memory: (model) => showView(model, 'memory'),
  kb: (model) => showView(model, 'knowledge'),
  help: (model) => showView(model, 'help'),
  remove: (model, name) => {
    const what = /^c/i.test(name) ? `chat ${name} and its files` : `goal ${name}, its record and its files`;
    return askFirst(model, `delete ${what}?`, ['remove', name], ['goals', 'sessions']);
  },
  'schedule remove': (model, schedule) =>
    askFirst(model, `remove schedule ${schedule}?`, ['schedule', 'remove', schedule], []),
  'memory remove': (model, rest) =>
    /^--all\b/.test(rest)
      ? askFirst(model, 'forget all items of memory?', ['memory', 'remove', '--all', '--yes'], ['memory'])
      : null,
  undo: askUndo,
  find: (model, rest) =>
    just(rest === '' ? { ...model, search: { kind: 'find', text: '', hit: 0 } } : find(model, rest)),
  copy: (model, rest) => copyFrom(model, rest === 'code' || rest === 'all' ? rest : 'answer'),
  'space edit': (model, name) => ({ model, effects: [{ type: 'readSpace', name }] }),
  setup: (model) => ({ model, effects: [{ type: 'setUp' }] }),
  quit: (model) => ({ model, effects: [{ type: 'quit' }] }),
};

/** Starts a goal with the text of the prompt (Ctrl-N). As with typed text, a question in the way closes and stays open. */
export function beginGoal(shown: Model): Update {
  const model = shown.overlay?.type === 'halt' && shown.overlay.ended !== null ? leaveEnded(shown) : shown;
  const text = model.prompt.text.replace(/^:norris\s*/, '');
  return just({ ...model, overlay: null, prompt: promptOf(`:norris ${text}`), isPromptOpen: true });
}

function withModels(model: Model): Model {
  const shown = model.models.map(({ preset, model: name, state }) => `${preset}: ${name ?? '?'} (${state})`);
  return withFlash(model, shown.length === 0 ? 'no models are known yet' : shown.join(' · '));
}
