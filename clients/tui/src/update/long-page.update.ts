import type { Msg } from '../messages.js';
import { just, type Model, type Page, type Update } from '../model.js';
import { layoutOf } from '../views/layout.js';
import { lineOfRow, pageLines, pageMaxTop, rowOfLine } from '../views/scrollable.js';
import { hitsIn } from './find.update.js';
import { withFlash } from './flash.js';

/** The number of lines to load before the visible one. */
const LINES_BEFORE = 500;

/** Returns the number of rows of a page without its title. */
export function pageRows(model: Model): number {
  return Math.max(2, layoutOf(model).mainRows - 1);
}

/** Scrolls by a number of rows. Infinity scrolls to the first or last line. */
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

/** Goes to the hit at or below the first line (0), to the next one below (1), or to the one above (-1). */
export function findInPage(model: Model, by: 0 | 1 | -1): Update {
  const page = model.overlay?.type === 'page' ? model.overlay : null;
  if (page?.wanted === undefined || page.wanted === '') return just(model);
  const { output, wanted: text } = page;
  const hits = hitsIn(pageLines(page, widthOf(model)), text);
  const next = by < 0 ? hits.findLast((hit) => hit < page.top) : hits.find((hit) => hit >= page.top + by);
  // The hit may be below the last possible first line, because a page does not scroll past its end.
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

/** Handles new lines of an output. The visible text stays, unless another line was requested. */
export function outputRead(model: Model, { output, lines, at }: Extract<Msg, { type: 'outputRead' }>): Update {
  const { overlay: page } = model;
  if (page?.type !== 'page' || page.output?.actionId !== output.actionId) return just(model);
  // A person who has moved on has requested another part by now.
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

/** Scrolls the page to a row. Loads more lines if the row is near the first or last loaded line. */
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
  // On a very high terminal this could be the same part again.
  return from === output.from ? just({ ...model, overlay: shown }) : ask(model, shown, from);
}

function ask(model: Model, page: Page, from: number, at?: number): Update {
  const { output } = page;
  // A pending request must end before more lines are loaded.
  if (output === undefined || (output.asked !== undefined && at === undefined))
    return just({ ...model, overlay: page });
  const { actionId } = output;
  return {
    model: { ...model, overlay: { ...page, output: { ...output, asked: from } } },
    effects: [{ type: 'readOutput', actionId, from, ...(at !== undefined && { at }) }],
  };
}

function nowhere(model: Model, text: string): Update {
  return just(withFlash(model, `“${text}” is not on this page`, 'warn'));
}

function isWhole(page: Page): boolean {
  return page.output === undefined || (page.output.from === 1 && lastOf(page) >= page.output.total);
}

/** Returns the number of the last loaded line. */
function lastOf({ output, lines }: Page): number {
  return (output?.from ?? 1) + lines.length - 1;
}

function widthOf({ size }: Model): number {
  return size.cols - 2;
}
