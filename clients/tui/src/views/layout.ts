import type { Model } from '../model.js';
import { promptRows } from './prompt.lines.js';

/** The tabs are above, and the rule with the banner and the status line are below. */
const TAB_ROWS = 1;
const FOOT_ROWS = 2;
/** From this width on, a list is beside its detail instead of above it. */
const SIDE_BY_SIDE_COLS = 120;

export interface Area {
  readonly cols: number;
  readonly rows: number;
}

export interface Layout {
  readonly cols: number;
  /** The number of rows between the tabs and the prompt. */
  readonly mainRows: number;
  readonly promptRows: number;
  readonly isSideBySide: boolean;
  /** The area of the list without its title, in a list view. */
  readonly list: Area;
  /** The area of the detail without its title, in a list view. */
  readonly detail: Area;
}

export function layoutOf(model: Model): Layout {
  const { cols, rows } = model.size;
  const prompt = promptRows(model);
  const mainRows = Math.max(0, rows - TAB_ROWS - FOOT_ROWS - prompt);
  const isSideBySide = cols >= SIDE_BY_SIDE_COLS;
  if (isSideBySide) {
    const listCols = Math.min(80, Math.floor(cols * 0.42));
    const inner = Math.max(0, mainRows - 1);
    return {
      cols,
      mainRows,
      promptRows: prompt,
      isSideBySide,
      list: { cols: listCols, rows: inner },
      detail: { cols: cols - listCols - 1, rows: inner },
    };
  }
  const most = Math.max(2, Math.floor(mainRows / 3));
  const listRows = Math.min(most, Math.max(1, rowCount(model)));
  return {
    cols,
    mainRows,
    promptRows: prompt,
    isSideBySide,
    list: { cols, rows: listRows },
    detail: { cols, rows: Math.max(0, mainRows - listRows - 2) },
  };
}

function rowCount({ view, goals, decisions, panes }: Model): number {
  if (view === 'goals') return goals?.length ?? 1;
  if (view === 'decisions') return decisions.length;
  return view === 'memory' || view === 'knowledge' || view === 'sessions' ? (panes[view].rows?.length ?? 1) : 1;
}
