import { chosenName, type Menu, type MenuItem, type Model } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { layoutOf } from './layout.js';
import { filled, lit } from './list.view.js';
import { rule } from './rule.js';

const LABEL_COLS = 28;

/** Returns a menu above the prompt, which is at most as high as the space there. */
export function menuView(menu: Menu, model: Model): readonly Line[] {
  const { cols, mainRows } = layoutOf(model);
  const { items } = menu;
  const room = Math.max(1, mainRows - 2);
  const rows = menu.kind === 'palette' ? room : Math.min(room, Math.max(1, items.length));
  const top = Math.min(Math.max(0, menu.at - rows + 1), Math.max(0, items.length - rows));
  const shown = items.slice(top, top + rows).map((item, index) => row(item, top + index === menu.at, cols));
  const place = items.length > rows ? `${menu.at + 1}/${items.length} · ` : '';
  const title = menu.kind === 'palette' ? 'FIND ANYTHING' : `ACTIONS${named(model)}`;
  return [
    rule(cols, [span(title, 'bold')], [span(`${place}type to search · Enter runs it · Esc`, 'dim')]),
    ...filled(shown.length === 0 ? [line(' Nothing matches.', 'dim')] : shown, rows, cols),
  ];
}

function named(model: Model): string {
  const name = chosenName(model);
  return name === undefined ? '' : ` FOR ${name}`;
}

function row({ label, about }: MenuItem, isChosen: boolean, cols: number): Line {
  const width = Math.min(LABEL_COLS, Math.max(8, Math.floor(cols / 3)));
  const content = [...fit([span(` ${oneLine(label)}`, 'bold')], width), span(`  ${oneLine(about)}`, 'dim')];
  return isChosen ? lit([span('▸', 'selected'), ...fitLabel(content)], cols) : fit(content, cols);
}

/** Makes room for the mark, which replaces the blank before the label. */
function fitLabel([first, ...rest]: Line): Line {
  return first === undefined ? rest : [span(first.text.slice(1), first.style), ...rest];
}
