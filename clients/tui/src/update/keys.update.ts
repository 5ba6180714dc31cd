import { isTerminal } from '@aish/contracts';
import { bindingFor, placeOf, type Action } from '../keys/keys.js';
import { chosenGoal, type Model, type Prompt, type Update } from '../model.js';
import { helpMaxTop } from '../views/help.view.js';
import { timelineHeight, timelineView } from '../views/timeline.view.js';
import { DEAF_MS, answer, haltDialog, openDecision, putAside, scrollHalt } from './decisions.update.js';
import { withFlash } from './flash.js';
import { askCancel, chooseNeighbour, submit } from './goals.update.js';
import { erase, eraseLeft, eraseRight, eraseWord, insert, moveLeft, moveRight, promptOf } from './prompt.edit.js';

/** What a key press does. */
export function pressKey(model: Model, key: string, text: string | null): Update {
  const dialog = haltDialog(model);
  if (dialog !== null && model.nowMs < dialog.deafUntilMs && key !== 'ctrl-q') {
    // Whoever goes on typing has not seen the dialog yet.
    return just({ ...model, overlay: { ...dialog, deafUntilMs: model.nowMs + DEAF_MS } });
  }
  const binding = bindingFor(model, key);
  const plain = { ...model, hasPrefix: false };
  if (binding === undefined) return typeText(plain, model.hasPrefix ? null : text);
  const whyNot = binding.unavailable?.(model);
  return whyNot === undefined ? act(plain, binding.action) : just(withFlash(plain, whyNot));
}

/** Pasted text goes into the prompt and nowhere else: it never answers a question. */
export function paste(model: Model, text: string): Update {
  if (placeOf(model) !== 'empty prompt' && placeOf(model) !== 'typing') return just(model);
  return just(edit(model, insert(model.prompt, text.replaceAll(/\r\n?/g, '\n'))));
}

function typeText(model: Model, text: string | null): Update {
  const place = placeOf(model);
  if (place === 'question') return just({ ...model, overlay: null });
  if (text === null || (place !== 'empty prompt' && place !== 'typing')) return just(model);
  return just(edit(model, insert(model.prompt, text)));
}

function act(model: Model, action: Action): Update {
  const { prompt } = model;
  switch (action) {
    case 'quit':
      return { model, effects: [{ type: 'quit' }] };
    case 'interrupt': {
      const goal = chosenGoal(model);
      if (goal === undefined || isTerminal(goal.state)) return { model, effects: [{ type: 'quit' }] };
      return just(askCancel(model));
    }
    case 'cancelGoal':
      return just(askCancel(model));
    case 'startPrefix':
      return just({ ...model, hasPrefix: true });
    case 'writeNorris':
      return just(edit(model, promptOf(`:norris ${prompt.text.replace(/^:norris\s*/, '')}`)));
    case 'submit':
      return submit(model);
    case 'previousGoal':
      return chooseNeighbour(model, -1);
    case 'nextGoal':
      return chooseNeighbour(model, 1);
    case 'pageUp':
      return just(scroll(model, 1 - timelineHeight(model)));
    case 'pageDown':
      return just(scroll(model, timelineHeight(model) - 1));
    case 'toEnd':
      return just({ ...model, scrollTop: null });
    case 'toggleFold':
      return just({ ...model, isUnfolded: !model.isUnfolded, scrollTop: null });
    case 'openHelp':
      return just({ ...model, overlay: { type: 'help', top: 0 } });
    case 'closeHelp':
    case 'decline':
      return just({ ...model, overlay: null });
    case 'helpUp':
      return just(scrollHelp(model, -5));
    case 'helpDown':
      return just(scrollHelp(model, 5));
    case 'openDecision':
      return just(openDecision(model));
    case 'proceed':
    case 'skip':
    case 'abort':
      return answer(model, action);
    case 'putAside':
      return just(putAside(model));
    case 'haltUp':
      return just(scrollHalt(model, -4));
    case 'haltDown':
      return just(scrollHalt(model, 4));
    case 'confirm':
      if (model.overlay?.type !== 'cancel') return just(model);
      return { model: { ...model, overlay: null }, effects: [{ type: 'cancelGoal', goalId: model.overlay.goalId }] };
    case 'left':
      return just(edit(model, moveLeft(prompt)));
    case 'right':
      return just(edit(model, moveRight(prompt)));
    case 'lineStart':
      return just(edit(model, { ...prompt, cursor: 0 }));
    case 'lineEnd':
      return just(edit(model, { ...prompt, cursor: prompt.text.length }));
    case 'eraseLeft':
      return just(edit(model, eraseLeft(prompt)));
    case 'eraseRight':
      return just(edit(model, eraseRight(prompt)));
    case 'eraseWord':
      return just(edit(model, eraseWord(prompt)));
    case 'eraseToStart':
      return just(edit(model, erase(prompt, 0, prompt.cursor)));
    case 'eraseToEnd':
      return just(edit(model, erase(prompt, prompt.cursor, prompt.text.length)));
    case 'newLine':
      return just(edit(model, insert(prompt, '\n')));
  }
}

function just(model: Model): Update {
  return { model, effects: [] };
}

function edit(model: Model, prompt: Prompt): Model {
  return { ...model, prompt };
}

function scroll(model: Model, by: number): Model {
  const { top, maxTop } = timelineView(model);
  const next = Math.max(0, top + by);
  return { ...model, scrollTop: next >= maxTop ? null : next };
}

function scrollHelp(model: Model, by: number): Model {
  if (model.overlay?.type !== 'help') return model;
  const top = Math.min(helpMaxTop(model), Math.max(0, model.overlay.top + by));
  return { ...model, overlay: { ...model.overlay, top } };
}
