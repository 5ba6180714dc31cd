import type { ApiClient } from '@aish/client/api.client';
import type { Detail, Row, RowAction } from '../view-state.js';

/** A list from the server: its rows, and what one of them stands for. */
export interface AreaSource {
  /** @param filter What to look for; '' for everything. */
  readonly rows: (client: ApiClient, filter: string, signal: AbortSignal) => Promise<readonly Row[]>;
  readonly detail: (client: ApiClient, key: string, signal: AbortSignal) => Promise<Detail>;
  readonly actions?: Readonly<Record<RowAction, AreaAction>>;
}

interface AreaAction {
  /** @returns what was done, for the person. */
  readonly run: (client: ApiClient, key: string, signal: AbortSignal) => Promise<string>;
}
