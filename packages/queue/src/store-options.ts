/** Where queue and event bus live. With `redisUrl` it is Redis, without it the database. Nothing else asks. */
export interface StoreOptions {
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  /** Told what went wrong in the background: lost connections, failed jobs, unreadable notices. They are gone on with. */
  readonly onError?: (error: unknown) => void;
}

export const CONNECT_TIMEOUT_MS = 10_000;

/** How long to wait before the nth attempt to connect again, from 1, milliseconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt - 1, 10), 3_000);
}
