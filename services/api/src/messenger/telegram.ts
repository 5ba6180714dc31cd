import { z } from 'zod';
import { askServer, type Button, type Incoming, type Messenger, type Place } from './messenger.js';

const POLL_S = 50;
/** The token is a part of the path: 401 means that it is wrong, and 404 that it is malformed. */
const REFUSALS = [401, 404];

const Chat = z.object({ id: z.int(), type: z.string() });
const From = z.object({ id: z.int() });
const Message = z.object({
  chat: Chat,
  from: From.optional(),
  text: z.string().optional(),
  forward_origin: z.unknown().optional(),
  forward_date: z.unknown().optional(),
});
const Update = z.object({
  update_id: z.int(),
  // An update of an unknown form must not stop the polling.
  message: Message.optional().catch(undefined),
  callback_query: z
    .object({ id: z.string(), from: From, message: Message.optional(), data: z.string().optional() })
    .optional()
    .catch(undefined),
});
type Update = z.infer<typeof Update>;
const Updates = z.object({ result: z.array(Update) });

/** Talks to the Telegram Bot API (core.telegram.org/bots/api) by long polling. Only private chats count. */
export class Telegram implements Messenger {
  readonly name = 'telegram';
  readonly maxChars = 4_000;
  private offset = 0;

  constructor(
    private readonly server: string,
    private readonly token: string,
  ) {}

  async *receive(signal: AbortSignal): AsyncGenerator<Incoming> {
    while (!signal.aborted) {
      // Asking for the next update confirms the previous ones, so an update that was not handled comes again.
      const body = { offset: this.offset, timeout: POLL_S, allowed_updates: ['message', 'callback_query'] };
      const { result } = await this.call(Updates, 'getUpdates', body, signal, POLL_S * 1000);
      for (const update of result) {
        const incoming = readUpdate(update);
        if (incoming !== null) yield incoming;
        this.offset = update.update_id + 1;
      }
    }
  }

  async send(
    { room }: Place,
    { text, buttons }: { readonly text: string; readonly buttons: readonly Button[] },
    signal: AbortSignal,
  ): Promise<void> {
    const keys = buttons.map(({ label, ticket }) => ({ text: label, callback_data: ticket }));
    await this.call(
      z.unknown(),
      'sendMessage',
      {
        chat_id: room,
        text,
        link_preview_options: { is_disabled: true },
        ...(keys.length === 0 ? {} : { reply_markup: { inline_keyboard: [keys] } }),
      },
      signal,
    );
  }

  async answer(incoming: Incoming, text: string, signal: AbortSignal): Promise<void> {
    // A pressed button shows that it waits until its query is answered.
    if (incoming.replyTo !== null)
      await this.call(z.unknown(), 'answerCallbackQuery', { callback_query_id: incoming.replyTo }, signal);
    await this.send(incoming, { text: text.slice(0, this.maxChars), buttons: [] }, signal);
  }

  private call<T>(answer: z.ZodType<T>, method: string, body: object, signal: AbortSignal, waitMs = 0): Promise<T> {
    const url = `${this.server.replace(/\/+$/, '')}/bot${this.token}/${method}`;
    return askServer(answer, url, { body }, { signal, waitMs, refusals: REFUSALS });
  }
}

function readUpdate({ message, callback_query: pressed }: Update): Incoming | null {
  const shown = pressed === undefined ? message : pressed.message;
  const account = pressed?.from ?? message?.from;
  if (shown?.chat.type !== 'private' || account === undefined) return null;
  return {
    channel: 'telegram',
    account: String(account.id),
    room: String(shown.chat.id),
    text: pressed === undefined ? (shown.text ?? '') : '',
    ticket: pressed === undefined ? null : (pressed.data ?? ''),
    isForwarded: shown.forward_origin !== undefined || shown.forward_date !== undefined,
    replyTo: pressed?.id ?? null,
  };
}
