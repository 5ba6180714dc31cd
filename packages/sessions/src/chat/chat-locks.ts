import { LockNamespace } from '@aish/database/advisory-lock';
import type { HeldLock, SharedLocks } from '@aish/database/shared-locks';

const LOCK_TRIES = 200;
const LOCK_PAUSE_MS = 10;

/** Takes the locks of chats that are driven here, and tells who drives a chat when its lock is lost. */
export class ChatLocks {
  /** @param lockAfterMs The lock keeps other drivers from taking over; most answers have ended before one could. */
  constructor(
    private readonly locks: Pick<SharedLocks, 'tryHold'>,
    private readonly onError: (error: unknown, what: string) => void,
    private readonly lockAfterMs: number,
  ) {}

  /** The lock of a chat, or null while somebody else has it. */
  tryHold(sessionId: string): Promise<HeldLock | null> {
    return this.locks.tryHold(LockNamespace.chat, sessionId);
  }

  /** Sees to it that the lock is held, until `over`; a lock that is lost then aborts `controller`. */
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
      // One who is just leaving the chat may hold it for a moment.
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
