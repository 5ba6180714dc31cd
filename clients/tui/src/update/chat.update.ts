import type { Session } from '@aish/contracts/chat';
import type { Goal } from '@aish/contracts/goals';
import type { ApiError } from '@aish/client/api.error';
import type { Model, Update } from '../model.js';
import { emptyChat, emptyFeed } from '../initial-model.js';
import { withFlash } from './flash.js';
import { giveBack } from './prompt.update.js';

/** Sends a message, or queues it until the model has answered. */
export function say(model: Model, text: string): Update {
  const { chat } = model;
  const outbox = [...chat.outbox, text];
  const said: Model = { ...model, chat: { ...chat, outbox, isBusy: true, feed: { ...chat.feed, top: null } } };
  if (chat.isBusy) return { model: said, effects: [] };
  return {
    model: said,
    effects: [{ type: 'sendMessage', sessionId: chat.session?.id ?? null, preset: chat.preset, text }],
  };
}

/** Returns the refused message, and those that waited for it, to the prompt. */
export function messageRefused(model: Model, text: string, error: ApiError): Model {
  const { chat } = model;
  const unsent = chat.outbox.length > 0 ? chat.outbox : [text];
  return withFlash({ ...giveBack(model, unsent), chat: { ...chat, outbox: [], isBusy: false } }, error.message, 'bad');
}

export function chatChanged(model: Model, session: Session, said: string): Model {
  const chat = { ...model.chat, session, preset: session.preset ?? model.chat.preset };
  return withFlash({ ...model, chat }, said, 'good');
}

/** Updates the name of the chat. */
export function chatSeen(model: Model, session: Session): Model {
  const { chat } = model;
  const isShown = (chat.session?.id ?? chat.feed.sessionId) === session.id;
  return isShown ? { ...model, chat: { ...chat, session } } : model;
}

/** Shows a session from its beginning. */
export function openChat(model: Model, session: Session, isNew: boolean, stays = false): Update {
  if (session.kind === 'goal' && !stays) {
    const goal = model.goals?.find(({ number }) => number === session.goalNumber);
    const shown: Model = { ...model, view: 'goals', chosen: goal?.id ?? model.chosen };
    const feed = { ...emptyFeed, sessionId: session.id };
    return {
      model: { ...shown, goalFeed: feed },
      effects: [{ type: 'followSession', place: 'goal', sessionId: session.id }],
    };
  }
  const feed = { ...emptyFeed, sessionId: session.id };
  const outbox = isNew ? model.chat.outbox : [];
  const isBusy = isNew ? model.chat.isBusy : session.state !== 'idle';
  const chat = { session, feed, outbox, isBusy, preset: session.preset ?? model.chat.preset };
  return {
    model: { ...model, view: stays ? model.view : 'chat', chat },
    effects: [{ type: 'followSession', place: 'chat', sessionId: session.id }],
  };
}

/** Asks about a goal in its own session, which is then shown as a chat. */
export function askAbout(model: Model, { sessionId }: Pick<Goal, 'sessionId'>, text: string): Update {
  const { preset } = model.chat;
  const chat = { ...emptyChat, feed: { ...emptyFeed, sessionId }, outbox: [text], isBusy: true, preset };
  return {
    model: { ...model, view: 'chat', chat },
    effects: [
      { type: 'followSession', place: 'chat', sessionId },
      { type: 'seeChat', sessionId },
      { type: 'sendMessage', sessionId, preset, text },
    ],
  };
}

/** Starts a new chat. The previous session stays. */
export function clearChat(model: Model): Update {
  return {
    model: { ...model, view: 'chat', chat: { ...emptyChat, preset: model.chat.preset } },
    effects: [{ type: 'followSession', place: 'chat', sessionId: null }],
  };
}

export function chooseModel(model: Model, preset: string): Update {
  const { chat } = model;
  if (chat.session !== null) {
    return { model, effects: [{ type: 'changeChat', sessionId: chat.session.id, change: { preset } }] };
  }
  if (model.models.length > 0 && !model.models.some((each) => each.preset === preset)) {
    const names = model.models.map((each) => each.preset).join(', ');
    return { model: withFlash(model, `there is no preset ${preset}; the presets are ${names}`, 'bad'), effects: [] };
  }
  return { model: withFlash({ ...model, chat: { ...chat, preset } }, `the next session uses ${preset}`), effects: [] };
}
