/** Where queue and event bus live. With `redisUrl` it is Redis, without it the database. Nothing else asks. */
export interface StoreOptions {
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  /** Sentinels that say where Redis is: `redisUrl` then gives user, password, database and TLS, not the place. */
  readonly redisSentinels?: RedisSentinels | undefined;
  /** Receives background errors: lost connections, failed jobs, unreadable notices. Work continues after them. */
  readonly onError?: (error: unknown) => void;
  /** When another worker takes up the job of a worker that was killed; `JOB_RECOVERY` by default. */
  readonly recovery?: JobRecovery;
}

/** A job of a killed worker is free after its lock. The second check after that sees it at the latest. */
export interface JobRecovery {
  /** How long a job stays locked after its worker's last sign of life, milliseconds. */
  readonly lockMs: number;
  /** How often workers look for jobs without a lock, milliseconds. */
  readonly checkEveryMs: number;
}

export const JOB_RECOVERY: JobRecovery = { lockMs: 5_000, checkEveryMs: 2_000 };

interface RedisSentinels {
  /** What they call the group that they watch. */
  readonly name: string;
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly password?: string | undefined;
}

export const CONNECT_TIMEOUT_MS = 10_000;

/** How long to wait before the nth attempt to connect again, from 1, milliseconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt - 1, 10), 3_000);
}

/** What every connection to Redis has in common, beside the URL. */
export function redisOptions({ redisSentinels }: Pick<StoreOptions, 'redisSentinels'>) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    // After a failover the connection may still be to a server that has become a replica: reconnect, then send again.
    reconnectOnError: (error: Error): 2 | false => (error.message.startsWith('READONLY') ? 2 : false),
    ...(redisSentinels === undefined
      ? {}
      : {
          sentinels: redisSentinels.addresses.map((address) => ({ ...address })),
          name: redisSentinels.name,
          ...(redisSentinels.password === undefined ? {} : { sentinelPassword: redisSentinels.password }),
          sentinelRetryStrategy: reconnectDelayMs,
        }),
  };
}
