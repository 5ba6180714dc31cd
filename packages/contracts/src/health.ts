import * as z from 'zod';

export const Check = z.object({ ok: z.boolean(), detail: z.string().nullable() });
export type Check = z.infer<typeof Check>;

/** `ok`: all there. `degraded`: some part is down, the rest works. `down`: the database does not answer. */
export const Health = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string(),
    checks: z.record(z.string(), Check),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** The version of aish; the root package.json says the same. */
export const VERSION = '0.1.0';
