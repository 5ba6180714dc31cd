import * as z from 'zod';

const RedisSentinelAddresses = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  .pipe(
    z
      .array(z.string().regex(/^[\w.-]+:\d{1,5}$/, 'must be host:port'))
      .min(1)
      .max(16),
  )
  .transform((words) =>
    words.map((word) => ({ host: word.split(':', 1)[0] ?? '', port: Number(word.slice(word.indexOf(':') + 1)) })),
  )
  .optional();

export const Store = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as a postgresql:// URL'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Redis server for queue and event bus; unset: they use Postgres'),
  REDIS_SENTINELS: RedisSentinelAddresses.describe(
    'Redis Sentinels as host:port, separated by spaces. They locate Redis; REDIS_URL still gives user, password and database',
  ),
  REDIS_SENTINEL_NAME: z.string().min(1).default('mymaster').describe('The Sentinels’ name for the Redis servers'),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional().describe('Password of the Sentinels'),
});

/** The store of queue and bus, in the form that `openQueue` and `openBus` expect. */
export function storeSettings(config: z.infer<typeof Store>) {
  const { DATABASE_URL, REDIS_URL, REDIS_SENTINELS: addresses } = config;
  const { REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: password } = config;
  return {
    databaseUrl: DATABASE_URL,
    ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    redisSentinels: addresses === undefined ? undefined : { name, addresses, password },
  };
}
