import * as z from 'zod';

/** Links in use contain the index into this list, so only append to it. */
export const CHANNEL_NAMES = [
  'ntfy',
  'webhook',
  'mail',
  'push',
  'gotify',
  'homeassistant',
  'telegram',
  'matrix',
] as const;
export const ChannelName = z.enum(CHANNEL_NAMES);
export type ChannelName = z.infer<typeof ChannelName>;

/** A notification to the next person about a decision that nobody has answered. It never leads to a verdict. */
export const EscalationStep = z
  .strictObject({
    /** Minutes since the decision was asked. */
    afterMinutes: z.int().min(1).max(10_080),
    channel: ChannelName,
    /**
     * A mail address, a topic of the ntfy server, a word for the program behind the webhook, or a person whose browsers
     * or messenger accounts get the message. If absent, the channel's default recipient gets it.
     */
    to: z
      .string()
      .trim()
      .max(200)
      .regex(/^[\w.+@-]+$/, 'must be an address or a name without spaces')
      .optional(),
  })
  .refine(({ channel, to }) => channel !== 'mail' || to === undefined || /^[^@]+@[^@]+$/.test(to), {
    message: 'must be a mail address, such as bob@example.org',
    path: ['to'],
  })
  .meta({ id: 'EscalationStep' });
export type EscalationStep = z.infer<typeof EscalationStep>;

/** The text form for `aish space set --escalate`: `30m mail bob@example.org`. */
export function formatEscalation({ afterMinutes, channel, to }: EscalationStep): string {
  return `${afterMinutes}m ${channel}${to === undefined ? '' : ` ${to}`}`;
}

/** Parses a step, for example `2h ntfy`; null if it is malformed. The caller checks the parts. */
export function readEscalationStep(text: string): EscalationStep | null {
  const [, count, unit, channel, to] = /^(\d+)([mh]) (\S+)(?: (\S+))?$/.exec(text.trim()) ?? [];
  const name = CHANNEL_NAMES.find((each) => each === channel);
  if (name === undefined) return null;
  const afterMinutes = Number(count) * (unit === 'h' ? 60 : 1);
  return { afterMinutes, channel: name, ...(to === undefined ? {} : { to }) };
}
