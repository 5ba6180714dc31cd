import type { ApiError } from './api/api.error.js';
import { plural } from './format/goal.format.js';
import type { Effect, Msg } from './messages.js';
import type { Model, Update } from './model.js';
import { textOf } from './text/line.js';
import { messageRefused, openChat } from './update/chat.update.js';
import { offer } from './update/completion.update.js';
import {
  offerDecision,
  previewed,
  takeDecisions,
  tellAnswer,
  verdictRefused,
  verdictTaken,
} from './update/decisions.update.js';
import { takeFeed } from './update/feeds.update.js';
import { withFlash } from './update/flash.js';
import { goalCreated, replaceGoal, takeGoals } from './update/goals.update.js';
import { grantsListed } from './update/grants.update.js';
import { paste, pressKey, takeQuiet } from './update/keys.update.js';
import { dropStray } from './update/lone-key.update.js';
import { takeMouse } from './update/mouse.update.js';
import { detailLoaded, paneLoaded, showView, withPane } from './update/panes.update.js';
import { promptOf } from './update/prompt.edit.js';
import { isPane } from './views/views.js';

/** What follows from a message: the next model, and what is to be done. Pure; the time comes with the message. */
export function update(model: Model, msg: Msg, nowMs: number): Update {
  const isStale = model.flash !== null && model.flash.untilMs <= nowMs;
  const result = take({ ...model, nowMs, flash: isStale ? null : model.flash }, msg);
  // Whatever has just come off the screen may have hidden a decision that waits.
  return { ...result, model: dropStray(offerDecision(result.model)) };
}

/** Whether time alone changes what is shown, or something should be asked for again; a program at rest does nothing. */
export function wantsTick(model: Model): boolean {
  const { view, flash, isStale, models, connection } = model;
  const showsAges = view !== 'chat' && view !== 'help';
  const isModelReady = models.some(({ preset, state }) => preset === 'fast' && state === 'ready');
  return showsAges || flash !== null || isStale || (connection.state === 'online' && !isModelReady);
}

function take(model: Model, msg: Msg): Update {
  switch (msg.type) {
    case 'tick':
      return tick(model);
    case 'resized':
      return just(resized(model, msg.cols, msg.rows));
    case 'key':
      return pressKey(model, msg.key, msg.text);
    case 'pasted':
      return paste(model, msg.text);
    case 'quiet':
      return takeQuiet(model, msg.atMs);
    case 'mouse':
      return takeMouse(model, msg);
    case 'connected':
      return {
        model: { ...model, connection: { state: 'online', detail: null } },
        // Notices are not replayed, so all may have changed meanwhile.
        effects: [{ type: 'listGoals' }, { type: 'listDecisions' }, { type: 'listModels' }, ...reload(model)],
      };
    case 'disconnected':
      return just({ ...model, connection: connectionAfter(msg.error) });
    case 'versioned':
      return just({ ...model, mismatch: msg.mismatch });
    case 'attentionAsked':
      return just({ ...model, attention: msg.attention });
    case 'noticed':
      return { model, effects: effectsOfNotice(model, msg.types) };
    case 'goalsListed':
      return takeGoals(model, msg.goals);
    case 'decisionsListed':
      return takeDecisions(model, msg.decisions);
    case 'modelsListed':
      return just({ ...model, models: msg.models });
    case 'listRefused':
      // While there is no connection the status line says so.
      if (model.connection.state !== 'online') return just(model);
      return just(withFlash({ ...model, isStale: true }, msg.error.message, 'bad'));
    case 'goalCreated':
      return goalCreated(model, msg.goal);
    case 'goalRefused': {
      // What was typed is not lost, unless something else is being typed already.
      const isFree = model.prompt.text === '';
      const prompt = isFree ? promptOf(`:norris ${msg.text}`) : model.prompt;
      return just(
        withFlash({ ...model, prompt, isPromptOpen: model.isPromptOpen || isFree }, msg.error.message, 'bad'),
      );
    }
    case 'goalCancelled':
      return just(withFlash(replaceGoal(model, msg.goal), `goal ${msg.goal.number} is aborted`, 'warn'));
    case 'goalPaused':
      return just(withFlash(replaceGoal(model, msg.goal), `goal ${msg.goal.number} ${msg.goal.state}`, 'warn'));
    case 'grantsListed':
      return just(grantsListed(model, msg.goalId, msg.items));
    case 'refused':
      return { model: withFlash(model, msg.error.message, 'bad'), effects: [{ type: 'listGoals' }] };
    case 'verdictTaken':
      return verdictTaken(model, msg.decision);
    case 'verdictRefused':
      return verdictRefused(model, msg.decisionId, msg.error);
    case 'decisionSeen':
      return just(tellAnswer(model, msg.decision));
    case 'happened':
    case 'live':
    case 'feedTrouble':
      return takeFeed(model, msg);
    case 'chatOpened':
      return openChat(model, msg.session, msg.isNew);
    case 'chatChanged': {
      const chat = { ...model.chat, session: msg.session, preset: msg.session.preset ?? model.chat.preset };
      return just(withFlash({ ...model, chat }, msg.said, 'good'));
    }
    case 'chatSeen': {
      const { chat } = model;
      const isShown = (chat.session?.id ?? chat.feed.sessionId) === msg.session.id;
      return just(isShown ? { ...model, chat: { ...chat, session: msg.session } } : model);
    }
    case 'messageRefused':
      return just(messageRefused(model, msg.text, msg.error));
    case 'paneLoaded':
      return paneLoaded(model, msg.pane, msg.rows);
    case 'paneRefused':
      return just(withPane(model, msg.pane, { trouble: msg.error.message }));
    case 'detailLoaded':
      return just(detailLoaded(model, msg.pane, msg.detail));
    case 'metaDone':
      return msg.candidates > 0 ? showCandidates(model, msg) : just(metaDone(model, msg));
    case 'previewed':
      return just(previewed(model, msg.decisionId, msg.lines));
    case 'historyRead':
      return just({ ...model, history: { ...model.history, entries: [...msg.entries, ...model.history.entries] } });
    case 'suggested':
      // Who has typed on wants something else by now.
      return just(model.prompt.text === msg.text ? offer(model, msg.from, msg.items) : model);
    case 'said':
      return just(withFlash(model, msg.text, msg.style));
  }
}

function just(model: Model): Update {
  return { model, effects: [] };
}

/** Rows wrap anew, so what was in sight is somewhere else. */
function resized(model: Model, cols: number, rows: number): Model {
  const { chat, goalFeed } = model;
  return {
    ...model,
    size: { cols, rows },
    goalFeed: { ...goalFeed, top: null },
    chat: { ...chat, feed: { ...chat.feed, top: null } },
  };
}

/** A short answer is said, a long one gets a page; neither hides a question that waits. */
function metaDone(model: Model, { title, lines, isGood, yes }: Extract<Msg, { type: 'metaDone' }>): Model {
  const [only] = lines;
  if (lines.length <= 1) {
    const text = only === undefined ? 'done' : textOf(only);
    return withFlash(model, text, isGood ? 'good' : 'bad');
  }
  if (model.overlay !== null && model.overlay.type !== 'page') return withFlash(model, `${title}: done`, 'good');
  return { ...model, flash: null, overlay: { type: 'page', title, top: 0, lines, yes } };
}

/** What is proposed is answered in the memory, where it stands first; whoever is at something else is told of it. */
function showCandidates(model: Model, { lines, candidates }: Extract<Msg, { type: 'metaDone' }>): Update {
  const text = [`${plural(candidates, 'proposal waits', 'proposals wait')} in the memory`, ...lines.map(textOf)];
  const told = withFlash(model, text.join(' · '), 'good');
  if (model.overlay !== null || model.prompt.text !== '') return just(told);
  const shown = showView(withPane(told, 'memory', { chosen: null, filter: '' }), 'memory');
  return { ...shown, model: { ...shown.model, isUnasked: true } };
}

function tick(model: Model): Update {
  if (model.connection.state !== 'online') return just(model);
  const effects: Effect[] = model.isStale ? [{ type: 'listGoals' }, { type: 'listDecisions' }] : [];
  const isModelReady = model.models.some(({ preset, state }) => preset === 'fast' && state === 'ready');
  return {
    model: { ...model, isStale: false },
    effects: isModelReady ? effects : [...effects, { type: 'listModels' }],
  };
}

function connectionAfter(error: ApiError | null): Model['connection'] {
  if (error === null) return { state: 'connecting', detail: null };
  return { state: error.isUnauthorised ? 'refused' : 'offline', detail: error.message };
}

function effectsOfNotice(model: Model, types: readonly string[]): readonly Effect[] {
  const effects: Effect[] = [];
  if (types.some((type) => type.startsWith('goal.') || type.startsWith('step.'))) effects.push({ type: 'listGoals' });
  if (types.some((type) => type.startsWith('decision.'))) effects.push({ type: 'listDecisions' });
  const hasSessions = types.some((type) => type.startsWith('chat.') || type.startsWith('exchange.'));
  if (hasSessions && model.view === 'sessions') effects.push(...reload(model));
  return effects;
}

function reload({ view, panes }: Model): readonly Effect[] {
  return isPane(view) ? [{ type: 'loadPane', pane: view, filter: panes[view].filter }] : [];
}
