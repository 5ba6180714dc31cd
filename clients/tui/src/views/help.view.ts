import type { Model, Page } from '../model.js';
import { span, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { marked } from './feed.view.js';
import { helpLines } from './help.lines.js';
import { layoutOf } from './layout.js';
import { rule } from './rule.js';
import { helpMaxTop, lineOfRow, pageLines, pageMaxTop } from './scrollable.js';

export function helpView(model: Model): readonly Line[] {
  const top = Math.min(model.helpTop, helpMaxTop(model));
  const more = helpMaxTop(model) > top ? [span('PgDn: more', 'warn')] : [];
  const lines = helpLines(model).slice(top, top + layoutOf(model).mainRows - 1);
  return [rule(model.size.cols, [span('HELP', 'bold')], more), ...lines.map((each) => fit(each, model.size.cols))];
}

/** Returns a page over the whole screen. */
export function pageView(page: Page, model: Model): readonly Line[] {
  const top = Math.min(page.top, pageMaxTop(model));
  const isPlan = page.yes !== null;
  const older = page.older === undefined ? '' : 'u: previous · ';
  const close = isPlan ? `${older}y applies it · Esc closes it` : `${older}Esc closes it`;
  const count = pageLines(page, model.size.cols - 2).length;
  const { output } = page;
  const at =
    output === undefined
      ? `${top + 1}/${count}`
      : `${output.from + lineOfRow(page, model.size.cols - 2, top)}/${output.total}`;
  const place = pageMaxTop(model) === 0 ? '' : `${at} · / looks · `;
  const more = `${place}${close}`;
  const wanted = page.wanted ?? '';
  const lines = pageLines(page, model.size.cols - 2).slice(top, top + layoutOf(model).mainRows - 1);
  const room = Math.max(10, model.size.cols - more.length - 10);
  const name = page.title.length > room ? `${page.title.slice(0, room - 1)}…` : page.title;
  const title = rule(model.size.cols, [span(name, 'bold')], [span(more, isPlan ? 'warn' : 'dim')]);
  return [title, ...lines.map((each) => fit([span(' '), ...marked(each, wanted)], model.size.cols))];
}
