import type { Line } from '@aish/views/line';

/** A line of a list that is already laid out. */
export interface Row {
  readonly key: string;
  /** The short name of the row, if it has one, such as `c12`. */
  readonly name?: string;
  readonly line: Line;
  /** The text that the filter searches. */
  readonly find: string;
}

export interface Detail {
  readonly key: string;
  readonly title: string;
  readonly kind: 'markdown' | 'text';
  readonly text: string;
  /** The links, which are shown below the text. Enter follows the selected one. */
  readonly links?: readonly DetailLink[];
}

export interface DetailLink {
  readonly key: string;
  /** A label such as `leads to: requires Title`. */
  readonly label: string;
}

/** An action on a row that has its own key. */
export type RowAction = 'accept' | 'remove';

/** A list together with the detail of one row. */
export interface Pane {
  /** The rows, or null until they arrive. */
  readonly rows: readonly Row[] | null;
  readonly chosen: string | null;
  readonly filter: string;
  readonly detail: Detail | null;
  readonly detailTop: number;
  /** The links that were followed from the selected row, newest last. The detail shows the last one. */
  readonly trail: readonly string[];
  readonly linkAt: number;
  readonly trouble: string | null;
}

export interface Prompt {
  readonly text: string;
  /** An index into `text`, in UTF-16 code units. */
  readonly cursor: number;
}

export interface History {
  /** The entries, oldest first. */
  readonly entries: readonly string[];
  /** The index of the entry on the screen, or null for the unsent text. */
  readonly at: number | null;
  readonly draft: string;
}

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly chosen: number;
  /** The position in the prompt where the completed word starts. */
  readonly from: number;
}

export interface CompletionItem {
  readonly text: string;
  readonly about: string;
}

export interface Search {
  /** The kind of search. `page` searches the page on the screen. */
  readonly kind: 'find' | 'history' | 'filter' | 'page';
  readonly text: string;
  /** The index of the hit on the screen, for `find`. */
  readonly hit: number;
}

export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline' | 'refused';
  readonly detail: string | null;
}

/** The result of a preview. */
export interface Tried {
  readonly lines: readonly Line[];
  /** The ID that lets a proceed keep the stashed preview, or null if the preview cannot be kept. */
  readonly id: string | null;
}

/** The loaded lines of an output. */
export interface PagedOutput {
  readonly actionId: string;
  /** The number of the first loaded line, counted from 1. */
  readonly from: number;
  /** The total number of lines. */
  readonly total: number;
  /** The first line of a pending request. */
  readonly asked?: number;
}
