import type { CountedConnection, NetworkConnection } from '@aish/contracts/network';
import type { RunFrame } from '@aish/contracts/runs';

export type NetworkFrame = Extract<RunFrame, { type: 'network' }>;

/** The maximum number of allowed destinations, and also of refused ones. Package managers need dozens. */
const DESTINATIONS_MAX = 256;
const HIDDEN = 'a-name-that-holds-a-secret';

/**
 * Logs the destinations that one run reached or was refused, each once with a count. The log is bounded and still
 * complete: when the limit of allowed destinations is reached, further ones are refused. Refused destinations beyond
 * the limit share one count.
 */
export class ConnectionLog {
  private readonly entries = new Map<string, CountedConnection>();
  /** Returns whether a name contains a secret. Such a name is not looked up or reported. */
  hides: (name: string) => boolean = () => false;
  private allowed = 0;
  private refused = 0;

  constructor(
    private readonly tell: (frame: NetworkFrame) => void,
    /** Called for each destination at the first contact, before the connection is made. */
    private readonly keep: (connection: CountedConnection) => void = () => undefined,
  ) {}

  /** Restores the entries of the run from before a restart of this service. */
  restore(kept: readonly CountedConnection[]): void {
    for (const connection of kept) {
      this.entries.set(keyOf(connection), connection);
      if (connection.allowed) this.allowed++;
      else this.refused++;
    }
  }

  /** Records a connection, and makes the final decision about it. */
  admit(connection: NetworkConnection): NetworkConnection {
    if (this.hides(connection.host)) {
      return this.admit({ ...connection, host: HIDDEN, allowed: false, reason: 'its name holds a secret' });
    }
    const known = this.entries.get(keyOf(connection));
    if (known !== undefined) return this.count(connection, known.count);
    if (connection.allowed && this.allowed >= DESTINATIONS_MAX) {
      return this.admit({
        ...connection,
        allowed: false,
        reason: `this command has already connected to ${DESTINATIONS_MAX} other destinations`,
      });
    }
    if (!connection.allowed && this.refused >= DESTINATIONS_MAX) {
      this.count(OTHERS, this.entries.get(keyOf(OTHERS))?.count ?? 0);
      return connection;
    }
    if (connection.allowed) this.allowed++;
    else this.refused++;
    return this.count(connection, 0);
  }

  /** Returns all entries in the order of first contact, with their counts. */
  list(): readonly CountedConnection[] {
    return [...this.entries.values()];
  }

  private count(connection: NetworkConnection, before: number): NetworkConnection {
    const counted = { ...connection, count: before + 1 };
    this.entries.set(keyOf(connection), counted);
    if (before === 0) {
      this.keep(counted);
      this.tell(frameOf(counted));
    }
    return connection;
  }
}

const OTHERS: NetworkConnection = { host: '*', port: 0, allowed: false, reason: 'further refused destinations' };

export function frameOf(connection: CountedConnection): NetworkFrame {
  return { type: 'network', ...connection };
}

function keyOf({ host, port, allowed, reason }: NetworkConnection): string {
  return JSON.stringify([host, port, allowed, reason]);
}
