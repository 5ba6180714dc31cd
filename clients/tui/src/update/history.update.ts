import type { Model } from '../model.js';
import { promptOf } from './prompt.edit.js';

export const HISTORY_MAX = 1_000;

/** Adds a line that was sent; the same one twice in a row counts once. */
export function remembered(entries: readonly string[], line: string): readonly string[] {
  return entries.at(-1) === line ? entries : [...entries, line].slice(-HISTORY_MAX);
}

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

/** The newest entries that contain a text, newest first. */
export function findInHistory(entries: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const hits = entries.filter((entry) => entry.toLowerCase().includes(wanted)).toReversed();
  return [...new Set(hits)];
}
