import type { Model } from '../model.js';
import { promptOf } from './prompt.edit.js';

/** Shows the entry before or after the one that is shown; past the newest comes what was being written. */
export function browseHistory(model: Model, by: 1 | -1): Model {
  const { entries, at, draft } = model.history;
  const here = at ?? entries.length;
  const next = here + by;
  if (next < 0 || next > entries.length) return model;
  const kept = at === null ? model.prompt.text : draft;
  const text = entries[next] ?? kept;
  return {
    ...model,
    prompt: promptOf(text),
    history: { entries, at: next === entries.length ? null : next, draft: kept },
  };
}
