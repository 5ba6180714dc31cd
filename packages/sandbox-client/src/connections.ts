import type { EventBody } from '@aish/contracts/events';
import type { CountedConnection } from '@aish/contracts/network';
import type { RunFrame } from '@aish/contracts/runs';

/** What a run connected to and was refused, gathered from its frames: each destination once. */
export class Connections {
  private readonly seen = new Map<string, CountedConnection>();

  /** A later frame of a destination has the higher count. */
  take({ host, port, allowed, reason, count }: Extract<RunFrame, { type: 'network' }>): void {
    this.seen.set(JSON.stringify([host, port, allowed, reason]), { host, port, allowed, reason, count });
  }

  list(): CountedConnection[] {
    return [...this.seen.values()];
  }
}

/** The events that say what an action connected to. `goalId` is null in a chat. */
export function connectionEvents(
  of: { readonly goalId: string | null; readonly actionId: string; readonly step: number },
  connections: readonly CountedConnection[],
): EventBody[] {
  return connections.map((connection) => ({ type: 'network.connection', ...of, ...connection }));
}
