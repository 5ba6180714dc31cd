import type { Model, Page } from '../model.js';
import { span, type Line } from '@aish/views/line';
import { fit } from '../text/fit.js';
import { helpLines } from './help.lines.js';
import { layoutOf } from './layout.js';
import { rule } from './rule.js';
import { helpMaxTop, pageLines, pageMaxTop } from './scrollable.js';

/** Keys and commands. */
export function helpView(model: Model): readonly Line[] {
  const top = Math.min(model.helpTop, helpMaxTop(model));
  const more = helpMaxTop(model) > top ? [span('PgDn: more', 'warn')] : [];
  const lines = helpLines(model).slice(top, top + layoutOf(model).mainRows - 1);
  return [rule(model.size.cols, [span('HELP', 'bold')], more), ...lines.map((each) => fit(each, model.size.cols))];
}

/** A page over everything. */
export function pageView(page: Page, model: Model): readonly Line[] {
  const top = Math.min(page.top, pageMaxTop(model));
  const isPlan = page.yes !== null;
  const older = page.older === undefined ? '' : 'u: the one before · ';
  const close = isPlan ? `${older}y does it · Esc leaves it` : `${older}Esc closes it`;
  const more = pageMaxTop(model) > top ? `PgDn: more · ${close}` : close;
  const lines = pageLines(page, model.size.cols - 2).slice(top, top + layoutOf(model).mainRows - 1);
  const title = rule(model.size.cols, [span(page.title, 'bold')], [span(more, isPlan ? 'warn' : 'dim')]);
  return [title, ...lines.map((each) => fit([span(' '), ...each], model.size.cols))];
}
