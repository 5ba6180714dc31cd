import { hasEnded } from '../format/goal.state.js';
import { parsePrompt, splitWords, type HereCommand, type MetaCommand } from '../meta/meta-commands.js';
import type { Effect } from '../messages.js';
import { chosenGoal, type Model, type Update } from '../model.js';
import { promptOf, emptyPrompt } from './prompt.edit.js';
import { askAbout, chooseModel, clearChat, say } from './chat.update.js';
import { copyFrom } from './copy.update.js';
import { find } from './find.update.js';
import { withFlash } from './flash.js';
import { activeGoal, askCancel } from './goals.update.js';
import { remembered } from './history.update.js';
import { showView } from './panes.update.js';

/** Enter: a message in the chat, a goal for Norris, or a meta command anywhere. */
export function submit(model: Model): Update {
  const text = model.prompt.text.trim();
  if (text === '') return { model: { ...model, isPromptOpen: false }, effects: [] };
  const parsed = parsePrompt(text);
  if (parsed.type === 'wrong') return { model: withFlash(model, parsed.message, 'bad'), effects: [] };
  const history = { entries: remembered(model.history.entries, text), at: null, draft: '' };
  const sent: Model = { ...model, prompt: emptyPrompt, isPromptOpen: false, completion: null, history };
  const done = parsed.type === 'text' ? say({ ...sent, view: 'chat' }, text) : run(sent, parsed.command, parsed.rest);
  return { model: done.model, effects: [{ type: 'remember', line: text }, ...done.effects] };
}

function run(model: Model, command: MetaCommand, rest: string): Update {
  if ('here' in command) return runHere(model, command.here, rest);
  const session = shownSession(model);
  if (command.needsSession === true && session === undefined) {
    return just(withFlash(model, `:${command.name} needs a session; say something first, or :resume one`, 'bad'));
  }
  const words = [...command.aish, ...(command.needsSession === true && session !== undefined ? [session] : [])];
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
function shownSession(model: Model): string | undefined {
  return (model.view === 'goals' ? chosenGoal(model)?.sessionId : undefined) ?? model.chat.session?.id;
}

/** Asks first: what was done in the workspace since then goes, too. */
function askUndo(model: Model, decision: string): Update {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  const newest = goal === undefined ? ['undo'] : ['undo', '--goal', String(goal.number)];
  const what = decision === '' ? `the newest command${goal === undefined ? '' : ` of goal ${goal.number}`}` : decision;
  const title = `:undo ${decision}`.trimEnd();
  const yes: Effect = { type: 'runMeta', title, words: decision === '' ? newest : ['undo', decision], reload: [] };
  const text = `put the workspace back to before ${what}? what was done since is gone, too  y/N `;
  return just({ ...model, overlay: { type: 'question', text, yes } });
}

function runHere(model: Model, command: HereCommand, rest: string): Update {
  const { chat } = model;
  switch (command) {
    case 'model':
      return rest === '' ? just(withModels(model)) : chooseModel(model, rest);
    case 'history':
      return showView({ ...model, isUnfolded: true, chat: { ...chat, feed: { ...chat.feed, top: 0 } } }, 'chat');
    case 'save':
      if (chat.session === null) return just(withFlash(model, 'there is no session yet: say something first', 'bad'));
      return { model, effects: [{ type: 'changeChat', sessionId: chat.session.id, change: { title: rest } }] };
    case 'resume':
      return { model, effects: [{ type: 'openSession', reference: rest === '' ? null : rest }] };
    case 'clear':
      return clearChat(model);
    case 'norris':
      return { model: { ...model, view: 'goals' }, effects: [{ type: 'createGoal', text: rest }] };
    case 'norris off': {
      const goal = activeGoal(model);
      return just(goal === undefined ? withFlash(model, 'Norris works on nothing') : askCancel(model, goal));
    }
    case 'ask': {
      const goal = chosenGoal(model);
      return goal === undefined
        ? just(withFlash(model, 'choose a goal first: :goals', 'bad'))
        : askAbout(model, goal, rest);
    }
    case 'sessions':
    case 'goals':
    case 'decisions':
    case 'memory':
    case 'knowledge':
    case 'help':
      return showView(model, command);
    case 'memory clear':
      return just({
        ...model,
        overlay: {
          type: 'question',
          text: 'forget all items of memory? y/N ',
          yes: { type: 'runMeta', title: ':memory clear', words: ['memory', 'clear', '--yes'], reload: ['memory'] },
        },
      });
    case 'undo':
      return askUndo(model, rest);
    case 'find':
      return rest === '' ? just({ ...model, search: { kind: 'find', text: '', hit: 0 } }) : just(find(model, rest));
    case 'copy':
      return copyFrom(model, rest === 'code' || rest === 'all' ? rest : 'answer');
    case 'quit':
      return { model, effects: [{ type: 'quit' }] };
  }
}

/** Ctrl-N: off when Norris works on something, else the beginning of a goal. */
export function toggleNorris(model: Model): Update {
  const goal = activeGoal(model);
  const isWriting = model.prompt.text.trim() !== '' && !model.prompt.text.startsWith(':');
  if (goal !== undefined && !isWriting && !hasEnded(goal.state)) return just(askCancel(model, goal));
  const text = model.prompt.text.replace(/^:norris\s*/, '');
  return just({ ...model, prompt: promptOf(`:norris ${text}`), isPromptOpen: true });
}

function withModels(model: Model): Model {
  const shown = model.models.map(({ preset, model: name, state }) => `${preset}: ${name ?? '?'} (${state})`);
  return withFlash(model, shown.length === 0 ? 'no models are known yet' : shown.join(' · '));
}

function just(model: Model): Update {
  return { model, effects: [] };
}
