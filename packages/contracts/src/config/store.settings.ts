import { z } from 'zod';

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

/** The Sentinels of a configuration, as the queue takes them; none unless REDIS_SENTINELS is set. */
export function sentinelsOf(config: z.infer<typeof Store>) {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: password } = config;
  return addresses === undefined ? undefined : { name, addresses, password };
}
