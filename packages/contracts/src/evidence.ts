import * as z from 'zod';

/** Evidence that aish read on a host before an approved command ended something there. */
export const HostEvidence = z
  .object({
    id: z.uuid(),
    actionId: z.uuid(),
    host: z.string(),
    /** The command that was about to run. */
    command: z.string(),
    /** The things that the command was about to end, for example `container web`. */
    subjects: z.array(z.string()),
    /** Why aish could read none or only part of it; null if it read everything. */
    failed: z.string().nullable(),
    chars: z.int(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'HostEvidence' });
export type HostEvidence = z.infer<typeof HostEvidence>;

/** Evidence with its text: titles, and below each title the output of a program on the host. Secrets are masked. */
const WholeEvidence = HostEvidence.extend({ text: z.string() }).meta({ id: 'WholeEvidence' });

export const EvidenceList = z.object({ items: z.array(WholeEvidence) }).meta({ id: 'EvidenceList' });
export type EvidenceList = z.infer<typeof EvidenceList>;
