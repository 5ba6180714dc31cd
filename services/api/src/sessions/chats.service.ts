import { setImmediate } from 'node:timers/promises';
import type { Session, StopResult } from '@aish/contracts/chat';
import type { Notice } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import type { ChatDriver } from '@aish/chat';
import type { Database } from '@aish/database/client';
import { mustHold, type ApiTokenRow } from '@aish/database/tokens.repository';
import { SseStream, type Logger } from '@aish/http';
import type { MemoryCallers } from '@aish/memory';
import type { EventBus } from '@aish/queue';
import type { FastifyReply } from 'fastify';
import { SessionFeed, type FeedItem } from './event-feed.js';
import type { EventHub } from './event-hub.js';
import type { SessionsService } from './sessions.service.js';

const SWEEP_MS = 5_000;
const STOP_WAIT_MS = 5_000;

/** Messages to chats, and what is streamed of their answers. */
export class ChatsService {
  private readonly stopListening: () => void;
  private readonly sweeper: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly hub: EventHub,
    private readonly bus: EventBus,
    private readonly driver: ChatDriver,
    private readonly sessions: SessionsService,
    private readonly callers: MemoryCallers,
    private readonly stopOnDisconnect: boolean,
    private readonly logger: Logger,
  ) {
    this.stopListening = hub.listen((heard) => {
      if (heard === 'gap' || heard.type !== 'stop') return;
      const { sessionId, by }: Extract<Notice, { type: 'stop' }> = heard;
      void this.quietly('stop a chat', this.driver.stop(sessionId, by));
    });
    this.sweep();
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS);
    this.sweeper.unref();
  }

  /**
   * Sends a message and streams what comes of it. The stream ends with the exchange.
   * @param token need not have been looked at: whether it holds is seen when the message is taken.
   * @throws AishError `unauthorized`, `not_found`, `busy`, before anything is sent.
   */
  async message(token: ApiTokenRow, reference: string, text: string, reply: FastifyReply): Promise<void> {
    // A number has to be looked up; an id is looked up with the message itself.
    const sessionId = reference.includes('-') ? reference : await this.lookUp(token, reference);
    const context = { sessionId, owner: token.name, goalId: null };
    this.callers.know(context, { owner: token.owner, app: token.app });
    const feed = new SessionFeed(this.db, this.hub, sessionId, true);
    let begun: { readonly seq: number; readonly exchange: number };
    try {
      begun = await this.driver.send(context, text, token.id);
    } catch (error) {
      feed.close();
      throw error;
    }
    await setImmediate(); // what the driver has to ask goes out first
    const stream = new SseStream(reply);
    for await (const item of feed.items(begun.seq - 1, stream.closed, true)) {
      await sendItem(stream, item);
      if (item.type !== 'event' || item.event.body.type !== 'exchange.ended') continue;
      if (item.event.body.exchange === begun.exchange) {
        stream.end();
        return;
      }
    }
    if (this.stopOnDisconnect) await this.quietly('stop a chat', this.driver.stop(sessionId, token.name));
  }

  private async lookUp(token: ApiTokenRow, reference: string): Promise<string> {
    await mustHold(this.db.statements, token.id);
    return (await this.sessions.find(reference)).id;
  }

  /** Stops the exchange that is under way, in whichever process it is. @throws AishError `not_found` */
  async stop(by: string, reference: string): Promise<StopResult> {
    const session = await this.sessions.findChat(reference);
    if (await this.driver.stop(session.id, by)) return this.stopped(session.id, true);
    if (session.state === 'idle') return { stopped: false, session };
    if (session.state === 'deciding' && (await this.driver.stopWaiting(session.id, by)))
      return this.stopped(session.id, true);
    const feed = new SessionFeed(this.db, this.hub, session.id);
    await this.bus.publish({ type: 'stop', sessionId: session.id, by });
    for await (const item of feed.items(0, AbortSignal.timeout(STOP_WAIT_MS))) {
      if (item.type !== 'event' || item.event.body.type !== 'exchange.ended') continue;
      const now = await this.sessions.find(session.id);
      if (now.state === 'idle') return { stopped: true, session: now };
    }
    return this.stopped(session.id, false);
  }

  /** Goes on with a chat after a verdict. */
  async resume(sessionId: string): Promise<void> {
    await this.quietly('go on with a chat', this.driver.resume(sessionId));
  }

  async shutdown(): Promise<void> {
    clearInterval(this.sweeper);
    this.stopListening();
    await this.sweeping;
    await this.driver.shutdown();
  }

  private async stopped(sessionId: string, stopped: boolean): Promise<StopResult> {
    const session: Session = await this.sessions.find(sessionId);
    return { stopped, session };
  }

  private sweep(): void {
    this.sweeping = this.sweeping.then(() => this.quietly('look for chats without a driver', this.driver.sweep()));
  }

  private async quietly(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (err) {
      if (err instanceof AishError && err.code === 'service_stopping') return;
      this.logger.warn({ err }, `could not ${what}`);
    }
  }
}

/** One item of a feed as a server-sent event; stored ones carry their sequence number. */
export async function sendItem(stream: SseStream, item: FeedItem): Promise<void> {
  await (item.type === 'live'
    ? stream.send({ event: item.body.type, data: item.body })
    : stream.send({ id: String(item.event.seq), event: item.event.body.type, data: item.event }));
}
