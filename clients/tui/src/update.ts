import type { Msg } from './messages.js';
import { spaceWords } from '@aish/views/space-words';
import { just, type Model, type Update } from './model.js';
import { openPromptWith, withEdited } from './update/prompt.update.js';
import { chatChanged, chatSeen, messageRefused, openChat } from './update/chat.update.js';
import { suggested } from './update/completion.update.js';
import { connected, disconnected, listRefused, noticed, tick } from './update/connection.update.js';
import {
  decisionsListed,
  offerDecision,
  previewed,
  sayWhoAnswered,
  verdictGiven,
  verdictRefused,
  withItsChat,
  scrollHalt,
} from './update/decisions.update.js';
import { feedReceived } from './update/feeds.update.js';
import { withFlash } from './update/flash.js';
import { goalCreated, goalRefused, goalsListed, replaceGoal, withItsGoal } from './update/goals.update.js';
import { grantsListed } from './update/grants.update.js';
import { commandEnded } from './update/own-command.update.js';
import { paste, pressKey, releaseKey } from './update/keys.update.js';
import { dropStray } from './update/lone-key.update.js';
import { outputFound, outputRead, outputRefused, scrollPage } from './update/long-page.update.js';
import { metaAnswered, offerAnswer } from './update/meta-answer.update.js';
import { restored } from './update/restore.update.js';
import { detailLoaded, paneLoaded, withPane, showView } from './update/panes.update.js';
import { scrollLines } from './update/scroll.update.js';
import { tabAt } from './views/tabs.view.js';

/** Returns the next model and the effects of a message. The function is pure, and the time comes with the message. */
export function update(model: Model, msg: Msg, nowMs: number): Update {
  const isStale = model.flash !== null && model.flash.untilMs <= nowMs;
  const result = handle({ ...model, nowMs, flash: isStale ? null : model.flash }, msg);
  // The part that has just left the screen may have hidden an open decision.
  return withItsChat(model, withItsGoal({ ...result, model: dropStray(offerAnswer(offerDecision(result.model))) }));
}

/** Returns whether time alone changes the screen or triggers a request. An idle program does nothing. */
export function wantsTick(model: Model): boolean {
  const { view, flash, isStale, models, connection } = model;
  const showsAges = view !== 'chat' && view !== 'help';
  const isModelReady = models.some(({ preset, state }) => preset === 'fast' && state === 'ready');
  return showsAges || flash !== null || isStale || (connection.state === 'online' && !isModelReady);
}

type Handlers = { readonly [T in Msg['type']]: (model: Model, msg: Extract<Msg, { type: T }>) => Update };

const HANDLERS: Handlers = {
  tick,
  resized: (model, { cols, rows }) => just(resized(model, cols, rows)),
  key: (model, { key, text }) => pressKey(model, key, text),
  pasted: (model, { text }) => paste(model, text),
  quiet: (model, { atMs }) => releaseKey(model, atMs),
  mouse: mouseMoved,
  connected,
  disconnected: (model, { error }) => just(disconnected(model, error)),
  versioned: (model, { mismatch }) => just({ ...model, mismatch }),
  attentionAsked: (model, { attention }) => just({ ...model, attention }),
  noticed: (model, { types }) => noticed(model, types),
  listRefused: (model, { error }) => just(listRefused(model, error)),

  goalsListed: (model, { goals }) => goalsListed(model, goals),
  goalCreated: (model, { goal }) => goalCreated(model, goal),
  goalRefused: (model, { text, error }) => just(goalRefused(model, text, error)),
  goalCancelled: (model, { goal }) =>
    just(withFlash(replaceGoal(model, goal), `goal ${goal.number} is aborted`, 'warn')),
  goalPaused: (model, { goal }) =>
    just(withFlash(replaceGoal(model, goal), `goal ${goal.number} ${goal.state}`, 'warn')),
  grantsListed: (model, { goalId, items }) => just(grantsListed(model, goalId, items)),
  refused: (model, { error }) => ({ model: withFlash(model, error.message, 'bad'), effects: [{ type: 'listGoals' }] }),

  decisionsListed: (model, { decisions }) => decisionsListed(model, decisions),
  verdictGiven: (model, { decision }) => verdictGiven(model, decision),
  verdictRefused: (model, { decisionId, error }) => verdictRefused(model, decisionId, error),
  decisionSeen: (model, { decision }) => just(sayWhoAnswered(model, decision)),
  previewed: (model, { decisionId, tried }) => just(previewed(model, decisionId, tried)),

  modelsListed: (model, { models }) => just({ ...model, models }),
  happened: feedReceived,
  live: feedReceived,
  feedTrouble: feedReceived,
  chatOpened: (model, { session, isNew, stays }) => openChat(model, session, isNew, stays),
  restored,
  chatChanged: (model, { session, said }) => just(chatChanged(model, session, said)),
  chatSeen: (model, { session }) => just(chatSeen(model, session)),
  sessionSeen: (model, { session: { id, number, title } }) =>
    just({ ...model, sessions: { ...model.sessions, [id]: { number, title } } }),
  messageRefused: (model, { text, error }) => just(messageRefused(model, text, error)),

  commandEnded: (model, msg) => just(commandEnded(model, msg)),

  paneLoaded: (model, { pane, rows }) => paneLoaded(model, pane, rows),
  paneRefused: (model, { pane, error }) => just(withPane(model, pane, { trouble: error.message })),
  detailLoaded: (model, { pane, detail }) => just(detailLoaded(model, pane, detail)),

  metaDone: metaAnswered,
  outputRead,
  outputFound,
  outputRefused,
  edited: (model, { before, edited }) => just(withEdited(model, before, edited)),
  historyRead: (model, { entries }) =>
    just({ ...model, history: { ...model.history, entries: [...entries, ...model.history.entries] } }),
  suggested: (model, msg) => just(suggested(model, msg)),
  spaceRead: (model, { space }) => just(openPromptWith(model, `:space set ${spaceWords(space)}`)),
  said: (model, { text, style }) => just(withFlash(model, text, style)),
};

function handle<T extends Msg['type']>(model: Model, msg: Extract<Msg, { type: T }>): Update {
  return HANDLERS[msg.type](model, msg);
}

/** Stores the new size. Rows wrap differently then, so the visible part moves. */
function resized(model: Model, cols: number, rows: number): Model {
  const { chat, goalFeed } = model;
  return {
    ...model,
    size: { cols, rows },
    goalFeed: { ...goalFeed, top: null },
    chat: { ...chat, feed: { ...chat.feed, top: null } },
  };
}

const WHEEL_LINES = 3;

/** Handles the mouse: the wheel scrolls, and a click selects a tab. A click never answers a question. */
function mouseMoved(model: Model, { action, x, y }: Extract<Msg, { type: 'mouse' }>): Update {
  if (action === 'click') {
    const view = y === 0 && model.overlay === null ? tabAt(model, x) : null;
    return view === null ? { model, effects: [] } : showView(model, view);
  }
  const lines = action === 'up' ? -WHEEL_LINES : WHEEL_LINES;
  if (model.overlay?.type === 'halt') return { model: scrollHalt(model, lines), effects: [] };
  if (model.overlay?.type === 'page') return scrollPage(model, lines);
  return { model: model.overlay === null ? scrollLines(model, lines) : model, effects: [] };
}
