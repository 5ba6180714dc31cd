/**
 * Selects the store of queue and event bus: Redis if `redisUrl` is set, otherwise the database. No other code needs to
 * know.
 */
export interface StoreOptions {
  readonly databaseUrl: string;
  readonly redisUrl?: string;
  /** Sentinels that locate Redis. `redisUrl` then gives user, password, database and TLS, but not the address. */
  readonly redisSentinels?: RedisSentinels | undefined;
  /** Receives background errors: lost connections, failed jobs, unreadable notices. Work continues after them. */
  readonly onError?: (error: unknown) => void;
  /** The timing with which another worker takes up the job of a killed worker. Default: `JOB_RECOVERY`. */
  readonly recovery?: JobRecovery;
}

/**
 * How the job of a killed worker is found. It is free after its lock expires, and the second check after that finds it
 * at the latest.
 */
export interface JobRecovery {
  /** How long a job stays locked after its worker's last sign of life, in milliseconds. */
  readonly lockMs: number;
  /** How often workers look for jobs without a lock, in milliseconds. */
  readonly checkEveryMs: number;
}

export const JOB_RECOVERY: JobRecovery = { lockMs: 5_000, checkEveryMs: 2_000 };

interface RedisSentinels {
  /** The name of the group that the Sentinels watch. */
  readonly name: string;
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly password?: string | undefined;
}

export const CONNECT_TIMEOUT_MS = 10_000;

/** Returns the delay before the nth attempt to reconnect, from 1, in milliseconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt - 1, 10), 3_000);
}

/** Returns the options of every Redis connection, apart from the URL. */
export function redisOptions({ redisSentinels }: Pick<StoreOptions, 'redisSentinels'>) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    // After a failover the server may have become a replica. In that case reconnect, then send again.
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
