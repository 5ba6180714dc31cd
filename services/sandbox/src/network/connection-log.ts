import type { CountedConnection, NetworkConnection } from '@aish/contracts/network';
import type { RunFrame } from '@aish/contracts/runs';

export type NetworkFrame = Extract<RunFrame, { type: 'network' }>;

/** Of each kind; package managers need dozens. */
const DESTINATIONS_MAX = 256;
const HIDDEN = 'a-name-that-holds-a-secret';

/**
 * What one run connected to and was refused, each destination once, and how often. Bounded without a gap: when as many
 * destinations were allowed as are kept, further ones are refused, and refused ones beyond the bound are counted as one.
 */
export class ConnectionLog {
  private readonly entries = new Map<string, CountedConnection>();
  /** Whether a name holds what nobody may see: it is neither looked up nor told. */
  hides: (name: string) => boolean = () => false;
  private allowed = 0;
  private refused = 0;

  constructor(
    private readonly tell: (frame: NetworkFrame) => void,
    /** Told of each destination at its first contact, before the connection is made. */
    private readonly keep: (connection: CountedConnection) => void = () => undefined,
  ) {}

  /** Takes up what was kept of the run before this service was restarted. */
  restore(kept: readonly CountedConnection[]): void {
    for (const connection of kept) {
      this.entries.set(keyOf(connection), connection);
      if (connection.allowed) this.allowed++;
      else this.refused++;
    }
  }

  /** Takes a connection in, and says what becomes of it. */
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
        reason: `this command has connected to ${DESTINATIONS_MAX} other destinations already`,
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

  /** All of it, in the order of first contact, with how often so far. */
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
