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
    .describe('With it queue and event bus use Redis; without it Postgres'),
  REDIS_SENTINELS: RedisSentinelAddresses.describe(
    'Redis Sentinels, as host:port, a space between two: they say where Redis is, REDIS_URL gives user, password and database',
  ),
  REDIS_SENTINEL_NAME: z.string().min(1).default('mymaster').describe('What the Sentinels call the servers they watch'),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional().describe('Of the Sentinels themselves'),
});

/** Where queue and bus are, as `openQueue` and `openBus` take it. */
export function storeOf(config: z.infer<typeof Store>) {
  const { DATABASE_URL, REDIS_URL, REDIS_SENTINELS: addresses } = config;
  const { REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: password } = config;
  return {
    databaseUrl: DATABASE_URL,
    ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    redisSentinels: addresses === undefined ? undefined : { name, addresses, password },
  };
}
