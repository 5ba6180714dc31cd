import * as z from 'zod';

export const Check = z.object({ ok: z.boolean(), detail: z.string().nullable() });
export type Check = z.infer<typeof Check>;

/**
 * The state of aish. `ok`: everything works. `degraded`: some part is down, the rest works. `down`: the database does
 * not respond.
 */
export const Health = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string(),
    checks: z.record(z.string(), Check),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** The version of aish, the same as in the root package.json. */
export const VERSION = '0.1.0';
