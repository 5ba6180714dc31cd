import { LockNamespace } from '@aish/database/advisory-lock';
import type { HeldLock, SharedLocks } from '@aish/database/shared-locks';

const LOCK_TRIES = 200;
const LOCK_PAUSE_MS = 10;

/** Takes the locks of the chats that run in this process, and stops the runner of a chat when its lock is lost. */
export class ChatLocks {
  /**
   * @param lockAfterMs How long a runner works before it takes the lock, which keeps other runners out. Most answers
   *   end before another runner could take over.
   */
  constructor(
    private readonly locks: Pick<SharedLocks, 'tryHold'>,
    private readonly onError: (error: unknown, what: string) => void,
    private readonly lockAfterMs: number,
  ) {}

  /** Returns the lock of a chat, or null if another runner holds it. */
  tryHold(sessionId: string): Promise<HeldLock | null> {
    return this.locks.tryHold(LockNamespace.chat, sessionId);
  }

  /** Holds the lock until `over` resolves. If the lock is lost, it aborts `controller`. */
  async keepHeld(
    sessionId: string,
    lock: HeldLock | null,
    controller: AbortController,
    over: AbortSignal,
  ): Promise<HeldLock | null> {
    const held = lock ?? (await this.holdLater(sessionId, over));
    const lose = (): void => controller.abort(held?.signal.reason);
    if (held?.signal.aborted === true) lose();
    else held?.signal.addEventListener('abort', lose, { once: true, signal: over });
    return held;
  }

  private holdLater(sessionId: string, over: AbortSignal): Promise<HeldLock | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(this.holdPatiently(sessionId, over)), this.lockAfterMs);
      const onOver = (): void => {
        clearTimeout(timer);
        resolve(null);
      };
      over.addEventListener('abort', onOver, { once: true });
    });
  }

  private async holdPatiently(sessionId: string, over: AbortSignal): Promise<HeldLock | null> {
    for (let n = 0; n < LOCK_TRIES && !over.aborted; n += 1) {
      const lock = await this.hold(sessionId);
      if (lock !== null) return lock;
      // A runner that is leaving the chat may still hold the lock for a moment.
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
    return null;
  }

  private async hold(sessionId: string): Promise<HeldLock | null> {
    try {
      return await this.tryHold(sessionId);
    } catch (error) {
      this.onError(error, 'take the lock of a chat');
      return null;
    }
  }
}
