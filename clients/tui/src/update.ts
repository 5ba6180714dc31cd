import type { ApiError } from './api/api.error.js';
import type { Effect, Model, Msg, Update } from './model.js';
import { addEvent, addLive, emptyTimeline } from './timeline/timeline.js';
import { offerDecision, takeDecisions, tellAnswer, verdictRefused, verdictTaken } from './update/decisions.update.js';
import { withFlash } from './update/flash.js';
import { goalCreated, replaceGoal, takeGoals } from './update/goals.update.js';
import { paste, pressKey } from './update/keys.update.js';
import { withSafetyAnswer, withSafetyRules } from './update/safety.update.js';
import { promptOf } from './update/prompt.edit.js';

/** What follows from a message: the next model, and what is to be done. Pure; the time comes with the message. */
export function update(model: Model, msg: Msg, nowMs: number): Update {
  const isStale = model.flash !== null && model.flash.untilMs <= nowMs;
  const result = take({ ...model, nowMs, flash: isStale ? null : model.flash }, msg);
  // Whatever has just come off the screen may have hidden a decision that waits.
  return { ...result, model: offerDecision(result.model) };
}

function take(model: Model, msg: Msg): Update {
  switch (msg.type) {
    case 'tick':
      return tick(model);
    case 'resized':
      return just({ ...model, size: { cols: msg.cols, rows: msg.rows }, scrollTop: null });
    case 'key':
      return pressKey(model, msg.key, msg.text);
    case 'pasted':
      return paste(model, msg.text);
    case 'connected':
      return {
        model: { ...model, connection: { state: 'online', detail: null } },
        // Notices are not replayed, so all may have changed meanwhile.
        effects: [{ type: 'listGoals' }, { type: 'listDecisions' }, { type: 'listModels' }],
      };
    case 'disconnected':
      return just({ ...model, connection: connectionAfter(msg.error) });
    case 'noticed':
      return { model, effects: effectsOfNotice(msg.types) };
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
      const prompt = model.prompt.text === '' ? promptOf(msg.text) : model.prompt;
      return just(withFlash({ ...model, prompt }, msg.error.message, 'bad'));
    }
    case 'goalCancelled':
      return just(withFlash(replaceGoal(model, msg.goal), `goal ${msg.goal.number} is cancelled`, 'warn'));
    case 'cancelRefused':
      return { model: withFlash(model, msg.error.message, 'bad'), effects: [{ type: 'listGoals' }] };
    case 'verdictTaken':
      return verdictTaken(model, msg.decision);
    case 'verdictRefused':
      return verdictRefused(model, msg.decisionId, msg.error);
    case 'decisionSeen':
      return just(tellAnswer(model, msg.decision));
    case 'safetyRulesListed':
      return just(withSafetyRules(model, msg.rules));
    case 'safetyChecked':
      return just(withSafetyAnswer(model, msg.command, msg.classification));
    case 'safetyRefused':
      return just(withFlash(model, msg.error.message, 'bad'));
    case 'happened':
      if (!isShown(model, msg.sessionId)) return just(model);
      // The stream begins with the first event, whenever it begins.
      return just({ ...model, timeline: addEvent(msg.event.seq === 1 ? emptyTimeline : model.timeline, msg.event) });
    case 'live':
      return just(isShown(model, msg.sessionId) ? { ...model, timeline: addLive(model.timeline, msg.body) } : model);
    case 'timelineTrouble':
      return just(isShown(model, msg.sessionId) ? { ...model, timelineTrouble: msg.text } : model);
  }
}

function just(model: Model): Update {
  return { model, effects: [] };
}

function isShown(model: Model, sessionId: string): boolean {
  return model.followed === sessionId;
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

function effectsOfNotice(types: readonly string[]): Effect[] {
  const effects: Effect[] = [];
  if (types.some((type) => type.startsWith('goal.') || type.startsWith('step.'))) effects.push({ type: 'listGoals' });
  if (types.some((type) => type.startsWith('decision.'))) effects.push({ type: 'listDecisions' });
  return effects;
}
