import type { ApiWaits } from '@aish/api/start-api';
import type { WorkerWaits } from '@aish/norris-worker/start-worker';

/**
 * Shorter waits than the defaults, for tests that wait for a service's own timers. They are long enough for a stalled
 * machine.
 */
export const QUICK_WAITS: { readonly api: ApiWaits; readonly 'norris-worker': WorkerWaits } = {
  api: {
    chats: { orphanedAfterMs: 1_000, lockAfterMs: 200, retryMinMs: 100, retryMaxMs: 500 },
    chatSweepEveryMs: 1_000,
    briefLookEveryMs: 1_000,
  },
  'norris-worker': {
    recovery: { lockMs: 3_000, checkEveryMs: 1_000 },
    lockMs: 500,
    sweepEveryMs: 1_000,
    lostAfterMs: 1_000,
  },
};
