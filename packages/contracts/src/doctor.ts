import * as z from 'zod';

/** One thing that was looked at. `advice`: what to do about it, where something is to be done. */
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
