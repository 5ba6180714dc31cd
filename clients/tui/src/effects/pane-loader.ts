import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import { linkAbort } from '@aish/client/linked-abort';
import type { AreaSource } from '../areas/area.js';
import { knowledgeArea } from '../areas/knowledge.area.js';
import { memoryArea } from '../areas/memory.area.js';
import { sessionsArea } from '../areas/sessions.area.js';
import type { Msg } from '../messages.js';
import type { PaneId } from '../view-id.js';

export const AREAS: Readonly<Record<PaneId, AreaSource>> = {
  memory: memoryArea,
  knowledge: knowledgeArea,
  sessions: sessionsArea,
};

/** The pause in typing after which the server is queried. */
const FILTER_SETTLES_MS = 150;

/** Loads the rows of lists, and ignores answers to earlier requests. */
export class PaneLoader {
  private readonly loading: Record<PaneId, AbortController | null> = { memory: null, knowledge: null, sessions: null };

  constructor(
    private readonly client: ApiClient,
    private readonly dispatch: (msg: Msg) => void,
    private readonly stop: AbortSignal,
  ) {}

  async load(pane: PaneId, filter: string): Promise<void> {
    this.loading[pane]?.abort();
    const asked = new AbortController();
    this.loading[pane] = asked;
    const { signal, unlink } = linkAbort(this.stop, asked.signal);
    try {
      if (filter !== '') await sleep(FILTER_SETTLES_MS, undefined, { signal });
      const rows = await AREAS[pane].rows(this.client, filter, signal);
      this.dispatch({ type: 'paneLoaded', pane, rows });
    } catch (error) {
      if (!signal.aborted) this.dispatch({ type: 'paneRefused', pane, error: asApiError(error) });
    } finally {
      unlink();
    }
  }
}
