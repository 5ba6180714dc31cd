import * as z from 'zod';

/** What was read on a host before a command that a person approved ended something there. */
export const HostEvidence = z
  .object({
    id: z.uuid(),
    actionId: z.uuid(),
    host: z.string(),
    /** The command that it was read before. */
    command: z.string(),
    /** What that command was about to end: `container web`. */
    subjects: z.array(z.string()),
    /** Why it could not be read, or not to its end; null where it could. */
    failed: z.string().nullable(),
    chars: z.int(),
    at: z.iso.datetime(),
  })
  .meta({ id: 'HostEvidence' });
export type HostEvidence = z.infer<typeof HostEvidence>;

/** With its text: titles, and below each one what a program there said. Secrets are masked. */
const WholeEvidence = HostEvidence.extend({ text: z.string() }).meta({ id: 'WholeEvidence' });

export const EvidenceList = z.object({ items: z.array(WholeEvidence) }).meta({ id: 'EvidenceList' });
export type EvidenceList = z.infer<typeof EvidenceList>;
