import type { Msg } from '../messages.js';
import { just, type Model, type Page, type Update } from '../model.js';
import { layoutOf } from '../views/layout.js';
import { lineOfRow, pageLines, pageMaxTop, rowOfLine } from '../views/scrollable.js';
import { hitsIn } from './find.update.js';
import { withFlash } from './flash.js';

/** Lines that are asked for before the one that is in sight. */
const LINES_BEFORE = 500;

/** Rows of a page, its title not counted. */
export function pageRows(model: Model): number {
  return Math.max(2, layoutOf(model).mainRows - 1);
}

/** Scrolls by so many rows; infinitely many lead to the first or the last line of all. */
export function scrollPage(model: Model, by: number): Update {
  const { overlay: page } = model;
  if (page?.type !== 'page') return just(model);
  const { output } = page;
  if (output !== undefined && !Number.isFinite(by)) {
    if (by < 0 && output.from > 1) return ask(model, page, 1, 1);
    if (by > 0 && lastOf(page) < output.total)
      return ask(model, page, Math.max(1, output.total - LINES_BEFORE), output.total);
  }
  const top = Math.min(page.top, pageMaxTop(model)) + by;
  return goTo(model, page, Math.max(0, Math.min(pageMaxTop(model), top)));
}

/** The hit at or below what is on the first line (0), the next one below (1), or above (-1). */
export function findInPage(model: Model, by: 0 | 1 | -1): Update {
  const page = model.overlay?.type === 'page' ? model.overlay : null;
  if (page?.wanted === undefined || page.wanted === '') return just(model);
  const { output, wanted: text } = page;
  const hits = hitsIn(pageLines(page, widthOf(model)), text);
  const next = by < 0 ? hits.findLast((hit) => hit < page.top) : hits.find((hit) => hit >= page.top + by);
  // What is wanted may stand below the last first line: the page does not end above its end.
  if (next !== undefined) return goTo(model, page, next);
  if (output !== undefined && !isWhole(page)) {
    const from = by < 0 ? output.from - 1 : lastOf(page) + 1;
    const inside = from < 1 || from > output.total ? (by < 0 ? output.total : 1) : from;
    const { actionId } = output;
    return { model, effects: [{ type: 'findInOutput', actionId, text, from: inside, back: by < 0 }] };
  }
  const around = by < 0 ? hits.at(-1) : hits[0];
  return around === undefined ? nowhere(model, text) : goTo(model, page, around);
}

/** Other lines are here: what was in sight stays there, unless another line is to be. */
export function outputRead(model: Model, { output, lines, at }: Extract<Msg, { type: 'outputRead' }>): Update {
  const { overlay: page } = model;
  if (page?.type !== 'page' || page.output?.actionId !== output.actionId) return just(model);
  // A person who has moved to another part has asked for that part.
  if (at === undefined && page.output.asked !== output.from) return just(model);
  const next: Page = { ...page, output, lines };
  const width = widthOf(model);
  const line = at ?? page.output.from + lineOfRow(page, width, page.top);
  const below = at === undefined ? page.top - rowOfLine(page, width, line - page.output.from) : 0;
  return goTo(model, next, rowOfLine(next, width, line - output.from) + below);
}

export function outputRefused(model: Model, { actionId, error }: Extract<Msg, { type: 'outputRefused' }>): Update {
  const { overlay: page } = model;
  const told = withFlash(model, error.message, 'bad');
  if (page?.type !== 'page' || page.output?.actionId !== actionId) return just(told);
  const { from, total } = page.output;
  return just({ ...told, overlay: { ...page, output: { actionId, from, total } } });
}

export function outputFound(model: Model, { actionId, text, line }: Extract<Msg, { type: 'outputFound' }>): Update {
  const { overlay: page } = model;
  if (page?.type !== 'page' || page.output?.actionId !== actionId || page.wanted !== text) return just(model);
  if (line === null) return nowhere(model, text);
  const { from } = page.output;
  if (line >= from && line <= lastOf(page)) return goTo(model, page, rowOfLine(page, widthOf(model), line - from));
  return ask(model, page, Math.max(1, line - LINES_BEFORE), line);
}

/** Shows what begins at a row, and asks for more where that is near the end of what is here. */
function goTo(model: Model, page: Page, top: number): Update {
  const shown: Page = { ...page, top };
  const { output } = shown;
  if (output === undefined) return just({ ...model, overlay: shown });
  const near = 2 * pageRows(model);
  const hasLess = output.from > 1 && top < near;
  const rows = pageLines(shown, widthOf(model)).length;
  const hasMore = lastOf(shown) < output.total && top + near > rows - near;
  if (!hasLess && !hasMore) return just({ ...model, overlay: shown });
  const line = output.from + lineOfRow(shown, widthOf(model), top);
  const from = Math.max(1, line - LINES_BEFORE);
  // Of a very high terminal it could be the same again.
  return from === output.from ? just({ ...model, overlay: shown }) : ask(model, shown, from);
}

function ask(model: Model, page: Page, from: number, at?: number): Update {
  const { output } = page;
  // What is being asked for is waited for; then there may be more to ask for.
  if (output === undefined || (output.asked !== undefined && at === undefined))
    return just({ ...model, overlay: page });
  const { actionId } = output;
  return {
    model: { ...model, overlay: { ...page, output: { ...output, asked: from } } },
    effects: [{ type: 'readOutput', actionId, from, ...(at !== undefined && { at }) }],
  };
}

function nowhere(model: Model, text: string): Update {
  return just(withFlash(model, `“${text}” is nowhere on this page`, 'warn'));
}

function isWhole(page: Page): boolean {
  return page.output === undefined || (page.output.from === 1 && lastOf(page) >= page.output.total);
}

/** The number of the last line that is here. */
function lastOf({ output, lines }: Page): number {
  return (output?.from ?? 1) + lines.length - 1;
}

function widthOf({ size }: Model): number {
  return size.cols - 2;
}
