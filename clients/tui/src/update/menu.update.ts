import { hereItems, menuItems } from '../menu/menu.items.js';
import { just, type Model, type Update } from '../model.js';
import type { Menu } from '../view-state.js';
import { withFlash } from './flash.js';

/** Ctrl-P: everything that can be done, found by its words. */
export function openPalette(model: Model): Update {
  return just({ ...model, completion: null, overlay: { type: 'menu', kind: 'palette', filter: '', at: 0 } });
}

/** What can be done to the chosen row. */
export function openMenu(model: Model): Update {
  if (hereItems(model).length === 0) return just(withFlash(model, 'there is nothing to do here'));
  return just({ ...model, overlay: { type: 'menu', kind: 'row', filter: '', at: 0 } });
}

export function moveMenu(model: Model, by: number): Update {
  const menu = menuOf(model);
  if (menu === null) return just(model);
  const last = Math.max(0, menuItems(model, menu).length - 1);
  return just({ ...model, overlay: { ...menu, at: Math.min(last, Math.max(0, menu.at + by)) } });
}

export function typeMenu(model: Model, text: string): Update {
  const menu = menuOf(model);
  return just(menu === null ? model : { ...model, overlay: { ...menu, filter: menu.filter + text, at: 0 } });
}

export function eraseMenu(model: Model, all: boolean): Update {
  const menu = menuOf(model);
  if (menu === null) return just(model);
  const filter = all ? '' : Array.from(menu.filter).slice(0, -1).join('');
  return just(menu.filter === '' ? closed(model) : { ...model, overlay: { ...menu, filter, at: 0 } });
}

/** Enter: the chosen line is done, with the menu out of the way. */
export function acceptMenu(model: Model): Update {
  const menu = menuOf(model);
  if (menu === null) return just(model);
  const item = menuItems(model, menu)[menu.at];
  return item === undefined ? just(withFlash(model, 'nothing is called so', 'warn')) : item.run(closed(model));
}

function closed(model: Model): Model {
  return { ...model, overlay: null };
}

function menuOf(model: Model): (Menu & { readonly type: 'menu' }) | null {
  return model.overlay?.type === 'menu' ? model.overlay : null;
}
