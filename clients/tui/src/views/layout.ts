import type { Model } from '../model.js';

/** Below the rest of the screen: the rule with the banner, the prompt, the status line. */
const FOOT_ROWS = 3;
/** From this width on the goals stand beside the timeline instead of above it. */
const SIDE_BY_SIDE_COLS = 140;

export interface Layout {
  readonly cols: number;
  /** Rows above the foot. */
  readonly mainRows: number;
  readonly isSideBySide: boolean;
  /** The list of goals, its title not counted. */
  readonly goals: { readonly cols: number; readonly rows: number };
  /** The timeline, its title not counted. */
  readonly timeline: { readonly cols: number; readonly rows: number };
}

/** How the screen is divided. */
export function layoutOf({ size: { cols, rows }, goals }: Pick<Model, 'size' | 'goals'>): Layout {
  const mainRows = Math.max(0, rows - FOOT_ROWS);
  const isSideBySide = cols >= SIDE_BY_SIDE_COLS;
  if (isSideBySide) {
    const listCols = Math.min(80, Math.floor(cols * 0.42));
    const inner = Math.max(0, mainRows - 1);
    return {
      cols,
      mainRows,
      isSideBySide,
      goals: { cols: listCols, rows: inner },
      timeline: { cols: cols - listCols - 1, rows: inner },
    };
  }
  const most = Math.max(2, Math.floor(mainRows / 4));
  const listRows = Math.min(most, Math.max(1, goals?.length ?? 1));
  return {
    cols,
    mainRows,
    isSideBySide,
    goals: { cols, rows: listRows },
    timeline: { cols, rows: Math.max(0, mainRows - listRows - 2) },
  };
}
