import { just, type Menu, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';
import { hereItems, menuItems } from './menu.items.js';

/** Opens the palette, which searches all actions by their words (Ctrl-P). */
export function openPalette(model: Model): Update {
  return just({ ...model, completion: null, overlay: menuOf(model, 'palette', '') });
}

/** Opens the actions for the selected row. */
export function openMenu(model: Model): Update {
  if (hereItems(model).length === 0) return just(withFlash(model, 'there are no actions here'));
  return just({ ...model, overlay: menuOf(model, 'row', '') });
}

export function moveMenu(model: Model, by: number): Update {
  const menu = shownMenu(model);
  if (menu === null) return just(model);
  const last = Math.max(0, menu.items.length - 1);
  return just({ ...model, overlay: { ...menu, at: Math.min(last, Math.max(0, menu.at + by)) } });
}

export function typeMenu(model: Model, text: string): Update {
  const menu = shownMenu(model);
  return just(menu === null ? model : { ...model, overlay: menuOf(model, menu.kind, menu.filter + text) });
}

export function eraseMenu(model: Model, all: boolean): Update {
  const menu = shownMenu(model);
  if (menu === null) return just(model);
  const filter = all ? '' : Array.from(menu.filter).slice(0, -1).join('');
  return just({ ...model, overlay: menu.filter === '' ? null : menuOf(model, menu.kind, filter) });
}

/** Closes the menu and runs the selected line (Enter). */
export function acceptMenu(model: Model): Update {
  const menu = shownMenu(model);
  if (menu === null) return just(model);
  const item = menu.items[menu.at];
  if (item === undefined) return just(withFlash(model, 'nothing matches', 'warn'));
  return item.run({ ...model, overlay: null });
}

function menuOf(model: Model, kind: Menu['kind'], filter: string): Menu {
  return { type: 'menu', kind, filter, items: menuItems(model, kind, filter), at: 0 };
}

function shownMenu({ overlay }: Model): Menu | null {
  return overlay?.type === 'menu' ? overlay : null;
}
