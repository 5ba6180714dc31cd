import type { HereCommand, MetaCommand, Reload } from '../meta/meta-command.js';
import { parsePrompt, splitWords } from '../meta/meta-commands.js';
import type { Effect } from '../messages.js';
import { just, chosenGoal, type Model, type Update } from '../model.js';
import { promptOf, emptyPrompt } from './prompt.edit.js';
import { askAbout, chooseModel, clearChat, say } from './chat.update.js';
import { copyFrom } from './copy.update.js';
import { find } from './find.update.js';
import { withFlash } from './flash.js';
import { giveGoal } from './give-goal.update.js';
import { leaveGoal } from './leave-goal.update.js';
import { withEntry } from '../history.js';
import { showView } from './panes.update.js';

/** Enter: a message in the chat, a goal for Norris, or a meta command anywhere. */
export function submit(model: Model): Update {
  const text = model.prompt.text.trim();
  if (text === '') return { model: { ...model, isPromptOpen: false }, effects: [] };
  const parsed = parsePrompt(text);
  if (parsed.type === 'wrong') return { model: withFlash(model, parsed.message, 'bad'), effects: [] };
  if (parsed.type === 'text' && parsed.hint !== null && model.flash?.text !== parsed.hint) {
    return { model: withFlash(model, parsed.hint, 'warn'), effects: [] };
  }
  const history = { entries: withEntry(model.history.entries, text), at: null, draft: '' };
  const sent: Model = { ...model, prompt: emptyPrompt, isPromptOpen: false, completion: null, history };
  const done = parsed.type === 'text' ? say({ ...sent, view: 'chat' }, text) : run(sent, parsed.command, parsed.rest);
  return { model: done.model, effects: [{ type: 'remember', line: text }, ...done.effects] };
}

/** The same of a meta command that a key or a menu stands for; what is being typed stays. */
export function runLine(model: Model, line: string): Update {
  const parsed = parsePrompt(line);
  return parsed.type === 'meta' ? run(model, parsed.command, parsed.rest) : just(model);
}

function run(model: Model, command: MetaCommand, rest: string): Update {
  if ('here' in command) return HERE[command.here](model, rest);
  const session = shownSession(model);
  if (command.needsSession === true && session === undefined) {
    return just(withFlash(model, `:${command.name} needs a session; say something first, or :resume one`, 'bad'));
  }
  const chat = model.chat.session?.id;
  const words = [
    ...command.aish,
    ...(command.needsSession === true && session !== undefined ? [session] : []),
    ...(command.reachesChat === true && chat !== undefined ? ['--session', chat] : []),
  ];
  const title = `:${command.name}${rest === '' ? '' : ` ${rest}`}`;
  const effect: Effect = {
    type: 'runMeta',
    title,
    words: [
      ...words,
      ...(command.hasQuotes === true ? splitWords(rest) : rest.split(/\s+/).filter((word) => word !== '')),
    ],
    reload: command.reload ?? [],
  };
  return { model: withFlash(model, `${title} …`, 'dim'), effects: [effect] };
}

/** The session that the person looks at: the chosen goal's, else the chat's. */
export function shownSession(model: Model): string | undefined {
  return (model.view === 'goals' ? chosenGoal(model)?.sessionId : undefined) ?? model.chat.session?.id;
}

/** Asks first: what was done in the workspace since then goes, too. */
function askUndo(model: Model, decision: string): Update {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  const newest = goal === undefined ? ['undo'] : ['undo', '--goal', String(goal.number)];
  const what = decision === '' ? `the newest command${goal === undefined ? '' : ` of goal ${goal.number}`}` : decision;
  const words = decision === '' ? newest : ['undo', decision];
  const title = `:undo ${decision}`.trimEnd();
  const yes: Effect = { type: 'runMeta', title, words: [...words, '--yes'], reload: [] };
  const text = `put the workspace back to before ${what}? what was done since is gone, too  y/N `;
  return just({ ...model, overlay: { type: 'question', text, yes } });
}

/** What cannot be taken back is asked about first. */
function askFirst(model: Model, text: string, words: readonly string[], reload: readonly Reload[]): Update {
  const yes: Effect = { type: 'runMeta', title: `:${words.join(' ')}`, words, reload };
  return just({ ...model, overlay: { type: 'question', text: `${text} y/N `, yes } });
}

/** What this program does itself. */
const HERE: Readonly<Record<HereCommand, (model: Model, rest: string) => Update>> = {
  model: (model, rest) => (rest === '' ? just(withModels(model)) : chooseModel(model, rest)),
  history: (model) => {
    const { chat } = model;
    return showView({ ...model, isUnfolded: true, chat: { ...chat, feed: { ...chat.feed, top: 0 } } }, 'chat');
  },
  save: (model, title) => {
    const { session } = model.chat;
    if (session === null) return just(withFlash(model, 'there is no session yet: say something first', 'bad'));
    return { model, effects: [{ type: 'changeChat', sessionId: session.id, change: { title } }] };
  },
  resume: (model, rest) => ({
    model,
    effects: [{ type: 'openSession', reference: rest === '' ? null : rest }],
  }),
  clear: clearChat,
  norris: giveGoal,
  'norris off': leaveGoal,
  ask: (model, question) => {
    const goal = chosenGoal(model);
    return goal === undefined
      ? just(withFlash(model, 'choose a goal first: :goals', 'bad'))
      : askAbout(model, goal, question);
  },
  sessions: (model) => showView(model, 'sessions'),
  'sessions delete': (model, chat) =>
    askFirst(model, `delete chat ${chat} and its files?`, ['sessions', 'rm', chat], ['sessions']),
  delete: (model, goal) =>
    askFirst(model, `delete goal ${goal}, its record and its files?`, ['delete', goal], ['goals', 'sessions']),
  'schedules delete': (model, schedule) =>
    askFirst(model, `end schedule ${schedule}?`, ['schedules', 'delete', schedule], []),
  goals: (model) => showView(model, 'goals'),
  decisions: (model) => showView(model, 'decisions'),
  memory: (model) => showView(model, 'memory'),
  knowledge: (model) => showView(model, 'knowledge'),
  help: (model) => showView(model, 'help'),
  'memory clear': (model) => askFirst(model, 'forget all items of memory?', ['memory', 'clear', '--yes'], ['memory']),
  undo: askUndo,
  find: (model, rest) =>
    just(rest === '' ? { ...model, search: { kind: 'find', text: '', hit: 0 } } : find(model, rest)),
  copy: (model, rest) => copyFrom(model, rest === 'code' || rest === 'all' ? rest : 'answer'),
  'space edit': (model, name) =>
    name === ''
      ? just(withFlash(model, 'name the space: :spaces lists them', 'bad'))
      : { model, effects: [{ type: 'readSpace', name }] },
  setup: (model) => ({ model, effects: [{ type: 'setUp' }] }),
  quit: (model) => ({ model, effects: [{ type: 'quit' }] }),
};

/** Ctrl-N: the beginning of a goal; what stands in the prompt is the goal so far. */
export function beginGoal(model: Model): Update {
  const text = model.prompt.text.replace(/^:norris\s*/, '');
  return just({ ...model, prompt: promptOf(`:norris ${text}`), isPromptOpen: true });
}

function withModels(model: Model): Model {
  const shown = model.models.map(({ preset, model: name, state }) => `${preset}: ${name ?? '?'} (${state})`);
  return withFlash(model, shown.length === 0 ? 'no models are known yet' : shown.join(' · '));
}
