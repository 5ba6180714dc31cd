import { Redis, type RedisOptions } from 'ioredis';

/** What BullMQ and the bus connect with. Commands wait for a lost connection to come back instead of failing. */
export function redisConnection(url: string): Omit<RedisOptions, 'replyMapping'> {
  const { hostname, port, username, password, pathname, protocol } = new URL(url);
  return {
    host: hostname,
    port: Number(port || 6379),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
  };
}

export function connectRedis(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(redisConnection(url));
  redis.on('error', onError);
  return redis;
}
