import type { Action } from '../keys/actions.js';
import { bindingFor, placeOf } from '../keys/keys.js';
import type { Prompt } from '../view-state.js';
import type { Model, Update } from '../model.js';
import { isPane, neighbourOf } from '../views/views.js';
import { complete } from './completion.update.js';
import { copyFrom, copyHandy } from './copy.update.js';
import {
  answer,
  askGrant,
  explain,
  haltDialog,
  nextDecision,
  openDecision,
  preview,
  putAside,
  scrollHalt,
} from './decisions.update.js';
import { changeChoice, endDraft, enterField, grant, moveField, sendEdit, startEdit } from './draft.update.js';
import { editPrompt, isEdit } from './edit.keys.js';
import { withFlash } from './flash.js';
import { activeGoal, askCancel, interruptGoal, resumeGoal } from './goals.update.js';
import { moveGrant, openGrants, revokeGrant } from './grants.update.js';
import { browseHistory } from './history.update.js';
import { DEAF_MS, holdKey, mustStandAlone, standAlone, takeBack, typeOn } from './lone-key.update.js';
import { actOnRow, chooseRow, copyRow, editRow, openRow } from './list.update.js';
import { submit, toggleNorris } from './meta.update.js';
import { scrollPage, scrollShown } from './scroll.update.js';
import { linkBack, nextLink, showView } from './panes.update.js';
import { insert, moveLine, promptOf, emptyPrompt } from './prompt.edit.js';
import { acceptSearch, endSearch, searchOn, startSearch, typeSearch } from './search.update.js';

/** What a key press does. */
export function pressKey(model: Model, key: string, text: string | null): Update {
  if (text !== null && mustStandAlone(model, key)) return holdKey(model, key, text);
  const free = takeBack(model);
  const dialog = haltDialog(free);
  if (dialog !== null && model.nowMs < dialog.deafUntilMs && !key.startsWith('ctrl-')) {
    // Whoever goes on typing has not seen the dialog yet.
    return just({ ...free, overlay: { ...dialog, deafUntilMs: model.nowMs + DEAF_MS } });
  }
  return carryOut(free, key, text);
}

/** Nothing was typed after a key that was held back. */
export function takeQuiet(model: Model, atMs: number): Update {
  const { model: free, key } = standAlone(model, atMs);
  return key === null ? just(free) : carryOut(free, key, null);
}

function carryOut(model: Model, key: string, text: string | null): Update {
  const binding = bindingFor(model, key);
  const plain = { ...model, hasPrefix: false };
  if (binding === undefined) return typeText(plain, model.hasPrefix ? null : text);
  const whyNot = binding.unavailable?.(model);
  return whyNot === undefined ? act(plain, binding.action) : just(withFlash(plain, whyNot));
}

/** Pasted text goes into the prompt and nowhere else: it never answers a question. */
export function paste(model: Model, text: string): Update {
  const clean = text.replaceAll(/\r\n?/g, '\n');
  const place = placeOf(model);
  if (place === 'HALT' || place === 'HALT grant') return just(typeOn(model, clean));
  if (place === 'search') return typeSearch(model, clean.replaceAll('\n', ' '));
  if (place !== 'empty prompt' && place !== 'typing' && place !== 'HALT edit') return just(takeBack(model));
  return just(typed(model, clean));
}

function typeText(model: Model, text: string | null): Update {
  switch (placeOf(model)) {
    case 'question':
      return just({ ...model, overlay: null });
    case 'search':
      return text === null ? just(model) : typeSearch(model, text);
    case 'empty prompt':
    case 'typing':
    case 'HALT edit':
      return just(text === null ? model : typed(model, text));
    case 'HALT choice':
      return text !== null && /^[1-9]$/.test(text) ? changeChoice(model, { number: Number(text) }) : just(model);
    case 'HALT grant':
    case 'grants':
    case 'HALT':
    case 'list':
    case 'page':
      return just(model);
  }
}

function act(model: Model, action: Action): Update {
  if (isEdit(action)) return editPrompt({ ...model, typedAtMs: model.nowMs }, action);
  const { overlay } = model;
  switch (action) {
    case 'chat':
    case 'goals':
    case 'decisions':
    case 'memory':
    case 'knowledge':
    case 'sessions':
    case 'help':
      return showView(model, action);
    case 'nextView':
      return showView(model, neighbourOf(model.view, 1));
    case 'previousView':
      return showView(model, neighbourOf(model.view, -1));
    case 'submit':
      return submit(model);
    case 'newLine':
      return just(edit(model, insert(model.prompt, '\n')));
    case 'openPrompt':
      return just({ ...edit(model, promptOf(':')), isPromptOpen: true });
    case 'closePrompt':
      return just(closePrompt(model));
    case 'complete':
      return complete(model, 1);
    case 'completeBack':
      return complete(model, -1);
    case 'searchHistory':
      return startSearch(model, 'history');
    case 'find':
      return startSearch(model, 'find');
    case 'filter':
      return startSearch(model, isPane(model.view) ? 'filter' : 'find');
    case 'findOlder':
      return searchOn(model, 1);
    case 'findNewer':
      return searchOn(model, -1);
    case 'endSearch':
      return endSearch(model);
    case 'acceptSearch':
      return acceptSearch(model);
    case 'lineUp':
    case 'lineDown': {
      const by = action === 'lineUp' ? -1 : 1;
      if (model.completion !== null) return complete(model, by);
      const moved = moveLine(model.prompt, by);
      return just(moved === null ? browseHistory(model, by) : edit(model, moved));
    }
    case 'rowUp':
      return chooseRow(model, (at) => at - 1);
    case 'rowDown':
      return chooseRow(model, (at) => at + 1);
    case 'firstRow':
      return chooseRow(model, () => 0);
    case 'lastRow':
      return chooseRow(model, (_, last) => last);
    case 'openRow':
      return openRow(model);
    case 'copyRow':
      return copyRow(model);
    case 'acceptRow':
      return actOnRow(model, 'accept');
    case 'removeRow':
      return actOnRow(model, 'remove');
    case 'resumeRow':
      return resumeGoal(model);
    case 'openGrants':
      return openGrants(model);
    case 'grantUp':
      return moveGrant(model, -1);
    case 'grantDown':
      return moveGrant(model, 1);
    case 'revokeGrant':
      return revokeGrant(model);
    case 'editRow':
      return editRow(model);
    case 'nextLink':
      return just(nextLink(model));
    case 'linkBack':
      return linkBack(model);
    case 'newGoal':
      return just({ ...edit(model, promptOf(':norris ')), isPromptOpen: true });
    case 'pageUp':
    case 'pageDown':
    case 'toStart':
    case 'toEnd':
      return just(scrollShown(model, action));
    case 'toggleFold':
      return just({ ...scrollShown(model, 'toEnd'), isUnfolded: !model.isUnfolded });
    case 'copy':
      return model.prompt.text === '' || model.view !== 'chat' ? copyHandy(model) : copyFrom(model, 'answer');
    case 'openDecision':
      return just(openDecision(model));
    case 'nextDecision':
      return just(nextDecision(model));
    case 'proceed':
    case 'skip':
    case 'abort':
      return answer(model, action);
    case 'editAction':
      return startEdit(model);
    case 'grantAction':
      return askGrant(model);
    case 'grantCommand':
      return grant(model, 'command');
    case 'grantRule':
      return grant(model, 'rule');
    case 'sendEdit':
    case 'enterField':
      return haltDialog(model)?.draft?.type === 'edit' ? sendEdit(model) : enterField(model);
    case 'endDraft':
      return endDraft(model);
    case 'nextField':
      return moveField(model, 1);
    case 'previousField':
      return moveField(model, -1);
    case 'nextChoice':
      return haltDialog(model)?.draft?.type === 'form' ? changeChoice(model, { by: 1 }) : just(model);
    case 'previousChoice':
      return changeChoice(model, { by: -1 });
    case 'preview':
      return preview(model);
    case 'explain':
      return just(explain(model));
    case 'putAside':
      return just(putAside(model));
    case 'haltUp':
      return just(scrollHalt(model, -4));
    case 'haltDown':
      return just(scrollHalt(model, 4));
    case 'toggleNorris':
      return toggleNorris(model);
    case 'abortNorris': {
      const goal = activeGoal(model);
      return just(goal === undefined ? model : askCancel(model, goal));
    }
    case 'startPrefix':
      return just({ ...model, hasPrefix: true });
    case 'interrupt':
      return interrupt(model);
    case 'quit':
      return { model, effects: [{ type: 'quit' }] };
    case 'redraw':
      return { model, effects: [{ type: 'redraw' }] };
    case 'confirm':
      if (overlay?.type !== 'question') return just(model);
      return { model: { ...model, overlay: null }, effects: [overlay.yes] };
    case 'confirmPage':
      if (overlay?.type !== 'page' || overlay.yes === null) return just(model);
      return { model: { ...model, overlay: null }, effects: [overlay.yes] };
    case 'decline':
    case 'closePage':
      return just({ ...model, overlay: null });
    case 'pageUpLine':
      return just(scrollPage(model, -5));
    case 'pageDownLine':
      return just(scrollPage(model, 5));
  }
}

const QUIT_HINT = 'Ctrl-C again quits; goals go on without you';

/** Ctrl-C: what runs ends first, then what is typed goes, and only then the program. */
function interrupt(model: Model): Update {
  const { chat } = model;
  if (model.view === 'chat' && chat.isBusy && chat.session !== null) {
    return {
      model: withFlash({ ...model, chat: { ...chat, outbox: [] } }, 'stopping…', 'warn'),
      effects: [{ type: 'stopChat', sessionId: chat.session.id }],
    };
  }
  if (model.prompt.text !== '' || model.isPromptOpen) return just(closePrompt({ ...model, prompt: emptyPrompt }));
  const paused = interruptGoal(model);
  if (paused !== null) return paused;
  if (model.flash?.text === QUIT_HINT) return { model, effects: [{ type: 'quit' }] };
  return just(withFlash(model, QUIT_HINT, 'warn'));
}

function closePrompt(model: Model): Model {
  if (model.completion !== null) return { ...model, completion: null };
  if (model.view === 'chat') return model;
  return { ...model, prompt: emptyPrompt, isPromptOpen: false };
}

function just(model: Model): Update {
  return { model, effects: [] };
}

function typed(model: Model, text: string): Model {
  return { ...edit(model, insert(model.prompt, text)), typedAtMs: model.nowMs };
}

function edit(model: Model, prompt: Prompt): Model {
  return { ...model, prompt, completion: null };
}
