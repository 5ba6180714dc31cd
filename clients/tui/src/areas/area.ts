import type { ApiClient } from '@aish/client/api.client';
import type { Detail, Row, RowAction } from '../view-state.js';

/** A list from the server: its rows, and the details of one row. */
export interface AreaSource {
  /** @param filter the text to search for; '' stands for all rows */
  readonly rows: (client: ApiClient, filter: string, signal: AbortSignal) => Promise<readonly Row[]>;
  readonly detail: (client: ApiClient, key: string, signal: AbortSignal) => Promise<Detail>;
  readonly actions?: Readonly<Record<RowAction, AreaAction>>;
}

interface AreaAction {
  /** @returns a message for the person. */
  readonly run: (client: ApiClient, key: string, signal: AbortSignal) => Promise<string>;
}
