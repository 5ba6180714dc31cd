import { randomUUID } from 'node:crypto';
import { isAishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { askServer, type Button, type Incoming, type Messenger, type Place } from './messenger.js';

const POLL_MS = 30_000;
/** A wrong token gives 401; an unknown room, or one without an invitation, gives 403 or 404. */
const REFUSALS = [401, 403, 404];
/** The field of a message of aish that holds the tickets of its verdicts. */
const TICKETS = 'aish.tickets';

const Content = z.object({
  msgtype: z.string().optional(),
  body: z.string().optional(),
  [TICKETS]: z.record(z.string(), z.string()).optional().catch(undefined),
  'm.relates_to': z
    .object({ rel_type: z.string().optional(), 'm.in_reply_to': z.object({ event_id: z.string() }).optional() })
    .optional()
    .catch(undefined),
});
const RoomEvent = z.object({ type: z.string(), event_id: z.string(), sender: z.string(), content: z.unknown() });
type RoomEvent = z.infer<typeof RoomEvent>;
const Timeline = z.object({ timeline: z.object({ events: z.array(RoomEvent.nullable().catch(null)) }) });
const Sync = z.object({
  next_batch: z.string(),
  rooms: z.object({ join: z.record(z.string(), Timeline).optional() }).optional(),
});

/**
 * Talks to a Matrix homeserver (spec.matrix.org, client-server API) by long polling, in one room without encryption.
 * Matrix has no buttons, so a person replies to a message with the word of a verdict.
 */
export class Matrix implements Messenger {
  readonly name = 'matrix';
  readonly maxChars = 16_000;
  private joined: { readonly user: string; readonly room: string } | null = null;
  private since: string | null = null;

  constructor(
    private readonly server: string,
    private readonly token: string,
    /** The ID or alias of the room. */
    private readonly room: string,
  ) {}

  async *receive(signal: AbortSignal): AsyncGenerator<Incoming> {
    const { room, user } = await this.join(signal);
    while (!signal.aborted) {
      const isFirst = this.since === null;
      const filter = {
        room: { rooms: [room], timeline: { types: ['m.room.message'], limit: 50 }, state: { types: [] } },
        presence: { types: [] },
        account_data: { types: [] },
      };
      const query = new URLSearchParams({
        filter: JSON.stringify(filter),
        timeout: String(isFirst ? 0 : POLL_MS),
        ...(this.since === null ? {} : { since: this.since }),
      });
      const sync = await this.call(Sync, 'GET', `sync?${query.toString()}`, undefined, signal, POLL_MS);
      // Messages from before the first poll are ignored.
      const events = isFirst ? [] : (sync.rooms?.join?.[room]?.timeline.events ?? []);
      for (const event of events) {
        const incoming = event === null || event.sender === user ? null : await this.read(event, signal);
        if (incoming !== null) yield incoming;
      }
      this.since = sync.next_batch;
    }
  }

  async send(
    { account }: Place,
    { id, text, buttons }: { readonly id: string; readonly text: string; readonly buttons: readonly Button[] },
    signal: AbortSignal,
  ): Promise<void> {
    const words = buttons.map(({ verdict, label }) =>
      label.toLowerCase() === verdict ? verdict : `${verdict} (${label})`,
    );
    const how = words.length === 0 ? '' : `\n\nReply to this message with: ${words.join(', ')}`;
    await this.put(account, `${id}-${account}`, `${text}${how}`, signal, {
      [TICKETS]: Object.fromEntries(buttons.map(({ verdict, ticket }) => [verdict, ticket])),
    });
  }

  async answer({ account, replyTo }: Incoming, text: string, signal: AbortSignal): Promise<void> {
    const inReply = replyTo === null ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } };
    await this.put(account, randomUUID(), text.slice(0, this.maxChars), signal, inReply);
  }

  /** Checks the token and enters the room, once. */
  private async join(signal: AbortSignal): Promise<{ readonly user: string; readonly room: string }> {
    if (this.joined !== null) return this.joined;
    const who = await this.call(z.object({ user_id: z.string() }), 'GET', 'account/whoami', undefined, signal);
    const path = `join/${encodeURIComponent(this.room)}`;
    const { room_id: room } = await this.call(z.object({ room_id: z.string() }), 'POST', path, {}, signal);
    return (this.joined = { user: who.user_id, room });
  }

  /** @param id the transaction: a message that is sent again with the same ID appears once */
  private async put(account: string, id: string, body: string, signal: AbortSignal, more: object): Promise<void> {
    const { room } = await this.join(signal);
    const path = `rooms/${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(id)}`;
    const content = { msgtype: 'm.text', body, 'm.mentions': { user_ids: [account] }, ...more };
    await this.call(z.unknown(), 'PUT', path, content, signal);
  }

  private async read(event: RoomEvent, signal: AbortSignal): Promise<Incoming | null> {
    const { room, user } = await this.join(signal);
    const read = Content.safeParse(event.content);
    // An edit repeats a message that was already read.
    if (!read.success || read.data.msgtype !== 'm.text' || read.data['m.relates_to']?.rel_type === 'm.replace')
      return null;
    const text = withoutQuote(read.data.body ?? '');
    const asked = read.data['m.relates_to']?.['m.in_reply_to']?.event_id;
    const word = text.toLowerCase();
    const isVerdict = asked !== undefined && /^(proceed|skip|abort)$/.test(word);
    const ticket = isVerdict ? await this.ticketOf({ room, user }, asked, word, signal) : null;
    const isForwarded = false; // A forwarded message is a new one of its sender, so its tickets are not read.
    return { channel: 'matrix', account: event.sender, room, text, ticket, isForwarded, replyTo: event.event_id };
  }

  /** Only a message of aish itself has tickets. @returns an empty ticket, which is refused, for every other message */
  private async ticketOf(
    { room, user }: { readonly room: string; readonly user: string },
    eventId: string,
    word: string,
    signal: AbortSignal,
  ): Promise<string> {
    const path = `rooms/${encodeURIComponent(room)}/event/${encodeURIComponent(eventId)}`;
    const asked = await this.call(RoomEvent, 'GET', path, undefined, signal).catch((error: unknown) => {
      // A reply to a message that does not exist must not stop the polling.
      if (isAishError(error, 'messenger_refused', 'notification_refused')) return null;
      throw error;
    });
    const content = Content.safeParse(asked?.content);
    return (asked?.sender === user && content.success ? content.data[TICKETS]?.[word] : undefined) ?? '';
  }

  private call<T>(
    answer: z.ZodType<T>,
    method: string,
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    waitMs = 0,
  ): Promise<T> {
    const url = `${this.server.replace(/\/+$/, '')}/_matrix/client/v3/${path}`;
    const headers = { authorization: `Bearer ${this.token}` };
    return askServer(answer, url, { method, headers, body }, { signal, waitMs, refusals: REFUSALS });
  }
}

/** Older clients repeat the message to which a person replies, with `> ` before each line. */
function withoutQuote(body: string): string {
  const lines = body.split('\n');
  const first = lines.findIndex((each) => !each.startsWith('> '));
  return lines.slice(Math.max(0, first)).join('\n').trim();
}
