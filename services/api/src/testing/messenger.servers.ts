import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

/** A message of aish. Telegram has `text` and Matrix has `body`. */
const SentMessage = z.object({
  chat_id: z.string().default(''),
  text: z.string().default(''),
  body: z.string().default(''),
  event_id: z.string().default(''),
  'aish.tickets': z.unknown().optional(),
  reply_markup: z
    .object({ inline_keyboard: z.tuple([z.array(z.object({ text: z.string(), callback_data: z.string() }))]) })
    .default({ inline_keyboard: [[]] }),
});
export type SentMessage = z.infer<typeof SentMessage>;

/** A server of a messenger's protocol. A test writes what people send, and reads what aish has sent. */
abstract class ScriptedMessenger {
  readonly sent: SentMessage[] = [];
  /** With this status the server refuses every request. */
  refusesWith: number | null = null;
  requests = 0;
  private readonly server: Server = createServer((request, response) => {
    void this.take(request).then(({ status, body }) => response.writeHead(status).end(JSON.stringify(body)));
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Waits for the first message from number `from` on that contains a text. */
  async until(text: string, from = 0): Promise<SentMessage> {
    for (let tries = 0; tries < 300; tries += 1) {
      const found = this.sent.slice(from).find((each) => (each.text + each.body).includes(text));
      if (found !== undefined) return found;
      await sleep(100);
    }
    throw new Error(`nothing with ${text} was sent: ${JSON.stringify(this.sent.slice(from))}`);
  }

  private async take(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.requests += 1;
    if (this.refusesWith !== null) return { status: this.refusesWith, body: {} };
    const body = await this.serve(
      new URL(request.url ?? '/', 'http://x'),
      text === '' ? {} : (JSON.parse(text) as Json),
    );
    return body === null ? { status: 404, body: {} } : { status: 200, body };
  }

  protected abstract serve(url: URL, body: Json): Promise<unknown>;
}

/** Waits for something to deliver, as a long poll does, but shorter. */
async function poll<T>(ready: () => readonly T[]): Promise<readonly T[]> {
  for (let tries = 0; ready().length === 0 && tries < 20; tries += 1) await sleep(50);
  return ready();
}

/** The Bot API of Telegram. */
export class ScriptedTelegram extends ScriptedMessenger {
  readonly token = '123:secret';
  private readonly updates: { readonly update_id: number }[] = [];

  say(from: number, text: string, more: Json = {}): void {
    this.add({ message: { message_id: 1, chat: { id: from, type: 'private' }, from: { id: from }, text, ...more } });
  }

  press(from: number, data: string, chat = from): void {
    const message = { message_id: 2, chat: { id: chat, type: 'private' }, text: 'x' };
    this.add({ callback_query: { id: 'q', from: { id: from }, message, data } });
  }

  private add(update: Json): void {
    this.updates.push({ update_id: this.updates.length + 1, ...update });
  }

  protected async serve({ pathname }: URL, body: Json): Promise<unknown> {
    const [, bot, method] = pathname.split('/');
    if (bot !== `bot${this.token}`) return null;
    if (method === 'sendMessage') this.sent.push(SentMessage.parse(body));
    if (method !== 'getUpdates') return { ok: true, result: true };
    return {
      ok: true,
      result: await poll(() => this.updates.filter(({ update_id: id }) => id >= Number(body['offset']))),
    };
  }
}

/** A homeserver of Matrix with one room. */
export class ScriptedMatrix extends ScriptedMessenger {
  readonly room = '!room:example';
  private readonly events: Json[] = [];

  say(sender: string, body: string, replyTo?: string, more: Json = {}): string {
    const relation = replyTo === undefined ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } };
    return this.add(sender, { msgtype: 'm.text', body, ...relation, ...more });
  }

  private add(sender: string, content: Json): string {
    const id = `$${this.events.length + 1}`;
    this.events.push({ type: 'm.room.message', event_id: id, sender, content });
    return id;
  }

  protected async serve({ pathname, searchParams }: URL, body: Json): Promise<unknown> {
    const parts = pathname.replace('/_matrix/client/v3/', '').split('/').map(decodeURIComponent);
    if (parts[0] === 'account') return { user_id: '@aish:example' };
    if (parts[0] === 'join') return parts[1] === this.room ? { room_id: this.room } : null;
    if (parts[2] === 'send') {
      const id = this.add('@aish:example', body);
      this.sent.push(SentMessage.parse({ ...body, event_id: id }));
      return { event_id: id };
    }
    if (parts[2] === 'event') return this.events.find(({ event_id: id }) => id === parts[3]) ?? null;
    const since = Number(searchParams.get('since') ?? this.events.length);
    const isWaiting = searchParams.get('timeout') !== '0';
    const news = isWaiting ? await poll(() => this.events.slice(since)) : this.events.slice(since);
    return {
      next_batch: String(since + news.length),
      rooms: { join: { [this.room]: { timeline: { events: news } } } },
    };
  }
}
