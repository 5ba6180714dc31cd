import type { Line } from '@aish/views/line';

/** One line of a list, already laid out. */
export interface Row {
  readonly key: string;
  /** What people call it, where they do: `c12`. */
  readonly name?: string;
  readonly line: Line;
  /** What the filter looks in. */
  readonly find: string;
}

export interface Detail {
  readonly key: string;
  readonly title: string;
  readonly kind: 'markdown' | 'text';
  readonly text: string;
  /** Where it leads to, shown below the text; Enter follows the chosen one. */
  readonly links?: readonly DetailLink[];
}

export interface DetailLink {
  readonly key: string;
  /** As `leads to: requires  Title`. */
  readonly label: string;
}

/** What can be done to a row with one key. */
export type RowAction = 'accept' | 'remove';

/** A list of things with one of them shown whole. */
export interface Pane {
  /** Null until they are here. */
  readonly rows: readonly Row[] | null;
  readonly chosen: string | null;
  readonly filter: string;
  readonly detail: Detail | null;
  readonly detailTop: number;
  /** What was followed from the chosen row on, newest last: the detail is of the last one. */
  readonly trail: readonly string[];
  readonly linkAt: number;
  readonly trouble: string | null;
}

export interface Prompt {
  readonly text: string;
  /** Index into `text`, in UTF-16 code units. */
  readonly cursor: number;
}

export interface History {
  /** Oldest first. */
  readonly entries: readonly string[];
  /** Which one is shown; null for what is being written. */
  readonly at: number | null;
  readonly draft: string;
}

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly chosen: number;
  /** Where in the prompt the completed word begins. */
  readonly from: number;
}

export interface CompletionItem {
  readonly text: string;
  readonly about: string;
}

export interface Search {
  /** `page`: in the page that is shown. */
  readonly kind: 'find' | 'history' | 'filter' | 'page';
  readonly text: string;
  /** Of `find`: how many hits there are, and which is shown. */
  readonly hit: number;
}

export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline' | 'refused';
  readonly detail: string | null;
}

/** What an action did when it was tried before it counts. */
export interface Tried {
  readonly lines: readonly Line[];
  /** What a proceed names that keeps that run; null where it cannot be kept. */
  readonly id: string | null;
}

/** The lines of an output that are on a page. */
export interface PagedOutput {
  readonly actionId: string;
  /** The number of the first, from 1. */
  readonly from: number;
  /** How many there are in all. */
  readonly total: number;
  /** The first of those that are being asked for. */
  readonly asked?: number;
}
