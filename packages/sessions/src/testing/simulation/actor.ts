import type { Boundary } from '@aish/actions';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { HeldLock, SharedLocks } from '@aish/database/shared-locks';

/**
 * One driver in a process of its own. It goes from boundary to boundary, each time when it is told to, so that of the actors
 * of a session one moves at a time, and their order is nobody's chance.
 */
export class Actor {
  isOver = false;
  /** Where it stands. */
  boundary: Boundary | null = null;
  /** What it ended with that it should not have. */
  failure: unknown = null;
  private isBegun = false;
  private isDead = false;
  private gates: (() => void)[] = [];
  private tellStopped = (): void => undefined;

  constructor(
    readonly name: string,
    readonly locks: LosableLocks,
    private readonly work: (actor: Actor) => Promise<void>,
  ) {}

  /** Goes on to its next boundary, or to its end. */
  async step(): Promise<void> {
    const stopped = new Promise<void>((resolve) => (this.tellStopped = resolve));
    if (this.isBegun) for (const open of this.gates.splice(0)) open();
    else void this.begin();
    await stopped;
  }

  /** The process dies here. Everything it does afterwards fails, and none of it is written. */
  async die(): Promise<void> {
    this.isDead = true;
    await this.step();
  }

  /** The driver calls this and waits here. */
  async at(boundary: Boundary): Promise<void> {
    if (this.isDead) throw dead();
    // Calls that go side by side pass it one after the other; they are one move.
    if (boundary === 'run.asked' && this.boundary === 'run.asked') return;
    this.boundary = boundary;
    await new Promise<void>((resolve) => {
      this.gates.push(resolve);
      this.tellStopped();
    });
    if (this.isDead) throw dead();
  }

  private async begin(): Promise<void> {
    this.isBegun = true;
    try {
      await this.work(this);
    } catch (error) {
      if (!isAishError(error, 'lock_lost')) this.failure = error;
    }
    this.isOver = true;
    this.tellStopped();
  }
}

function dead(): AishError {
  return new AishError('lock_lost', 'its process died here');
}

/** The locks of one process, which can lose them without knowing it, as one that is stopped for a while does. */
export class LosableLocks {
  private held: HeldLock[] = [];

  constructor(private readonly all: Pick<SharedLocks, 'tryHold'>) {}

  async tryHold(...[namespace, key]: Parameters<SharedLocks['tryHold']>): Promise<HeldLock | null> {
    const lock = await this.all.tryHold(namespace, key);
    if (lock === null) return null;
    this.held.push(lock);
    return { signal: new AbortController().signal, release: () => lock.release() };
  }

  async lose(): Promise<void> {
    await Promise.all(this.held.splice(0).map((lock) => lock.release()));
  }
}
