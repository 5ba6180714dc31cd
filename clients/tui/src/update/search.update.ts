import type { Search } from '../view-state.js';
import { just, type Model, type Update } from '../model.js';
import { isPane } from '../view-id.js';
import { find, findNext } from './find.update.js';
import { withFlash } from './flash.js';
import { findInHistory } from '../history.js';
import { findInPage } from './long-page.update.js';
import { filterPane } from './panes.update.js';
import { promptOf } from './prompt.edit.js';

export function startSearch(model: Model, kind: Search['kind']): Update {
  const text = kind === 'filter' && isPane(model.view) ? model.panes[model.view].filter : '';
  if (model.overlay?.type === 'page') return just({ ...model, search: { kind: 'page', text: '', hit: 0 } });
  const canFind = model.view === 'chat' || model.view === 'goals';
  if (kind === 'find' && !canFind) return just(withFlash(model, 'there is nothing to search here'));
  return just({ ...model, search: { kind, text, hit: 0 }, completion: null });
}

export function typeSearch(model: Model, piece: string): Update {
  return model.search === null ? just(model) : searchFor(model, model.search, model.search.text + piece);
}

export function eraseSearch(model: Model, what: 'character' | 'word' | 'all'): Update {
  const { search } = model;
  if (search === null) return just(model);
  if (search.text === '') return endSearch(model);
  const kept =
    what === 'character'
      ? Array.from(search.text).slice(0, -1).join('')
      : what === 'word'
        ? search.text.replace(/\S*\s*$/, '')
        : '';
  return searchFor(model, search, kept);
}

/** Goes to the next older (1) or newer (-1) hit. */
export function searchOn(model: Model, by: 1 | -1): Update {
  const { search } = model;
  if (search?.kind === 'find') return just(findNext(model, by));
  if (search?.kind === 'page') return findInPage(model, by > 0 ? -1 : 1);
  if (search?.kind !== 'history') return just(model);
  const last = findInHistory(model.history.entries, search.text).length - 1;
  return just({ ...model, search: { ...search, hit: Math.max(0, Math.min(last, search.hit + by)) } });
}

/**
 * Keeps the result of the search (Enter). A history line goes into the prompt, a filter stays, and a found line stays
 * visible.
 */
export function acceptSearch(model: Model): Update {
  const { search } = model;
  if (search?.kind === 'history') {
    const text = findInHistory(model.history.entries, search.text)[search.hit];
    const done = { ...model, search: null };
    return just(text === undefined ? done : { ...done, prompt: promptOf(text), isPromptOpen: true });
  }
  if (search?.kind === 'find' && search.text !== '') return just(findNext(model, 1));
  return just({ ...model, search: null });
}

export function endSearch(model: Model): Update {
  const { search, view } = model;
  const done = { ...model, search: null };
  return search?.kind === 'filter' && isPane(view) ? filterPane(done, view, '') : just(done);
}

function withWanted(model: Model, wanted: string): Model {
  return model.overlay?.type === 'page' ? { ...model, overlay: { ...model.overlay, wanted } } : model;
}

function searchFor(model: Model, search: Search, text: string): Update {
  const next: Model = { ...model, search: { ...search, text, hit: 0 } };
  if (search.kind === 'find') return just(text === '' ? next : find(next, text));
  if (search.kind === 'page') return findInPage(withWanted(next, text), 0);
  return search.kind === 'filter' && isPane(model.view) ? filterPane(next, model.view, text) : just(next);
}
