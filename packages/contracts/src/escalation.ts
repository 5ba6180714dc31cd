import * as z from 'zod';

/** Their places are part of every link that is under way: append only. */
export const CHANNEL_NAMES = ['ntfy', 'webhook', 'mail', 'push'] as const;
export const ChannelName = z.enum(CHANNEL_NAMES);
export type ChannelName = z.infer<typeof ChannelName>;

/** A notice to the next person of a question that nobody has answered. No verdict is ever given in place of one. */
export const EscalationStep = z
  .strictObject({
    /** Since the question. */
    afterMinutes: z.int().min(1).max(10_080),
    channel: ChannelName,
    /** A mail address, a topic of the ntfy server, a word for the program behind the webhook, or a person whose browsers get it; without it as for all notices. */
    to: z
      .string()
      .trim()
      .max(200)
      .regex(/^[\w.+@-]+$/, 'an address or a name, without blanks')
      .optional(),
  })
  .refine(({ channel, to }) => channel !== 'mail' || to === undefined || /^[^@]+@[^@]+$/.test(to), {
    message: 'a mail address has an @',
    path: ['to'],
  })
  .meta({ id: 'EscalationStep' });
export type EscalationStep = z.infer<typeof EscalationStep>;

/** As `aish space set --escalate` takes it: `30m mail bob@example.org`. */
export function formatEscalation({ afterMinutes, channel, to }: EscalationStep): string {
  return `${afterMinutes}m ${channel}${to === undefined ? '' : ` ${to}`}`;
}

/** Parses a step, for example `2h ntfy`; null when its form is wrong. The parts are checked where they are used. */
export function readEscalationStep(text: string): EscalationStep | null {
  const [, count, unit, channel, to] = /^(\d+)([mh]) (\S+)(?: (\S+))?$/.exec(text.trim()) ?? [];
  const name = CHANNEL_NAMES.find((each) => each === channel);
  if (name === undefined) return null;
  const afterMinutes = Number(count) * (unit === 'h' ? 60 : 1);
  return { afterMinutes, channel: name, ...(to === undefined ? {} : { to }) };
}
