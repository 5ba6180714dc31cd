import type { Boundary } from '@aish/actions';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { HeldLock, SharedLocks } from '@aish/database/shared-locks';

/**
 * A runner in its own simulated process. It moves from one boundary to the next, but only when the simulation calls
 * `step`. Only one actor of a session moves at a time, and the seed decides the order.
 */
export class Actor {
  isOver = false;
  /** The boundary at which the actor waits. */
  boundary: Boundary | null = null;
  /** The unexpected error that ended the runner. */
  failure: unknown = null;
  private isBegun = false;
  private isDead = false;
  private gates: (() => void)[] = [];
  private reportStopped = (): void => undefined;

  constructor(
    readonly name: string,
    readonly locks: LosableLocks,
    private readonly work: (actor: Actor) => Promise<void>,
  ) {}

  /** Continues to the actor's next boundary, or to its end. */
  async step(): Promise<void> {
    const stopped = new Promise<void>((resolve) => (this.reportStopped = resolve));
    if (this.isBegun) for (const open of this.gates.splice(0)) open();
    else void this.begin();
    await stopped;
  }

  /** Kills the process. From now on, everything that it does fails and is not written. */
  async die(): Promise<void> {
    this.isDead = true;
    await this.step();
  }

  /** The runner calls this at a boundary and waits until the next step. */
  async at(boundary: Boundary): Promise<void> {
    if (this.isDead) throw dead();
    // Parallel calls pass this boundary one after the other, but count as one move.
    if (boundary === 'run.asked' && this.boundary === 'run.asked') return;
    this.boundary = boundary;
    await new Promise<void>((resolve) => {
      this.gates.push(resolve);
      this.reportStopped();
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
    this.reportStopped();
  }
}

function dead(): AishError {
  return new AishError('lock_lost', 'its process died here');
}

/**
 * The locks of one process. The process can lose them without knowing it, like a process that was suspended for a
 * while.
 */
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
