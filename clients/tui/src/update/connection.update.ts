import type { ApiError } from '@aish/client/api.error';
import type { Effect } from '../messages.js';
import { just, type Model, type Update } from '../model.js';
import { isPane } from '../view-id.js';
import { withFlash } from './flash.js';

/** Reads everything again. Notices are not repeated, so anything may have changed since the connection was lost. */
export function connected(model: Model): Update {
  return {
    model: { ...model, connection: { state: 'online', detail: null } },
    effects: [{ type: 'listGoals' }, { type: 'listDecisions' }, { type: 'listModels' }, ...reload(model)],
  };
}

export function disconnected(model: Model, error: ApiError | null): Model {
  if (error === null) return { ...model, connection: { state: 'connecting', detail: null } };
  const state = error.isUnauthorised ? 'refused' : 'offline';
  return { ...model, connection: { state, detail: error.message } };
}

/** Reports a list that could not be read. If there is no connection, the status line already says so. */
export function listRefused(model: Model, error: ApiError): Model {
  return model.connection.state === 'online' ? withFlash({ ...model, isStale: true }, error.message, 'bad') : model;
}

/** Reloads the lists that a notice concerns. */
export function noticed(model: Model, types: readonly string[]): Update {
  const effects: Effect[] = [];
  if (types.some((type) => type.startsWith('goal.') || type.startsWith('step.'))) effects.push({ type: 'listGoals' });
  if (types.some((type) => type.startsWith('decision.'))) effects.push({ type: 'listDecisions' });
  const hasSessions = types.some((type) => type.startsWith('chat.') || type.startsWith('exchange.'));
  if (hasSessions && model.view === 'sessions') effects.push(...reload(model));
  return { model, effects };
}

export function tick(model: Model): Update {
  if (model.connection.state !== 'online') return just(model);
  const effects: Effect[] = model.isStale ? [{ type: 'listGoals' }, { type: 'listDecisions' }] : [];
  const isModelReady = model.models.some(({ preset, state }) => preset === 'fast' && state === 'ready');
  return {
    model: { ...model, isStale: false },
    effects: isModelReady ? effects : [...effects, { type: 'listModels' }],
  };
}

function reload({ view, panes }: Model): readonly Effect[] {
  return isPane(view) ? [{ type: 'loadPane', pane: view, filter: panes[view].filter }] : [];
}
