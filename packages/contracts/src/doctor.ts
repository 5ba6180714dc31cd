import * as z from 'zod';

/** The result of one check. `advice` says what to do; it is null if there is nothing to do. */
export const DoctorCheck = z
  .object({
    name: z.string(),
    state: z.enum(['ok', 'off', 'warning', 'error']),
    detail: z.string(),
    advice: z.string().nullable(),
  })
  .meta({ id: 'DoctorCheck' });
export type DoctorCheck = z.infer<typeof DoctorCheck>;

export const DoctorReport = z.object({ ok: z.boolean(), checks: z.array(DoctorCheck) }).meta({ id: 'DoctorReport' });
export type DoctorReport = z.infer<typeof DoctorReport>;
