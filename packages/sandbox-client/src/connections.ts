import type { EventBody } from '@aish/contracts/events';
import type { CountedConnection } from '@aish/contracts/network';
import type { RunFrame } from '@aish/contracts/runs';

/** A run's connections and refusals, collected from its frames, one per destination and answer. */
export class Connections {
  private readonly seen = new Map<string, CountedConnection>();

  /** Takes a frame. A later frame of a destination has the higher count. */
  take({ host, port, allowed, reason, count }: Extract<RunFrame, { type: 'network' }>): void {
    this.seen.set(JSON.stringify([host, port, allowed, reason]), { host, port, allowed, reason, count });
  }

  list(): CountedConnection[] {
    return [...this.seen.values()];
  }
}

/** Returns the events for an action's connections. `goalId` is null in a chat. */
export function connectionEvents(
  of: { readonly goalId: string | null; readonly actionId: string; readonly step: number },
  connections: readonly CountedConnection[],
): EventBody[] {
  return connections.map((connection) => ({ type: 'network.connection', ...of, ...connection }));
}
