import type { Whereabouts } from '../kept-terminal.js';
import type { Effect, Msg } from '../messages.js';
import type { Model, Update } from '../model.js';
import { withFlash } from './flash.js';
import { promptOf } from './prompt.edit.js';
import { ownPrompt } from './prompt.update.js';
import { showView } from './panes.update.js';

/** Returns the person's place, for a later return. */
export function whereabouts(model: Model): Whereabouts {
  const { server, view, chat, chosen, prompt, overlay, notes } = model;
  const draft = overlay?.type === 'halt' ? overlay.draft : null;
  const isChanged = draft?.type === 'message' || (draft?.type === 'edit' && draft.before !== prompt.text);
  const texts = [...chat.outbox, ownPrompt(model).text, ...Object.values(notes), isChanged ? prompt.text : ''];
  return {
    server,
    view,
    chat: chat.session?.id ?? chat.feed.sessionId,
    goal: chosen,
    prompt: [...new Set(texts)].filter((text) => text !== '').join('\n'),
  };
}

/** Restores a person's place after the terminal disappeared. Newer text stays. */
export function restored(model: Model, { where }: Extract<Msg, { type: 'restored' }>): Update {
  const { view, chat, goal, prompt } = where;
  if (chat === null && prompt === '' && view === 'chat') return { model, effects: [] };
  const shown = showView({ ...model, wanted: goal }, view);
  const typed: Model =
    prompt === '' || model.prompt.text !== ''
      ? shown.model
      : { ...shown.model, prompt: promptOf(prompt), isPromptOpen: true };
  const effects: Effect[] = chat === null ? [] : [{ type: 'openSession', reference: chat, stays: true }];
  return {
    model: withFlash(typed, 'restored: you were here when the terminal closed', 'good'),
    effects: [...shown.effects, ...effects],
  };
}
