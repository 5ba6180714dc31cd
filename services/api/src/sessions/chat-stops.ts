import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import type { ChatRunner } from '@aish/sessions';
import type { StopResult } from '@aish/contracts/chat';
import type { EventBus } from '@aish/queue';
import { SessionStreams } from './session-streams.js';
import { SessionsService } from './sessions.service.js';

const STOP_WAIT_MS = 5_000;

/** Stops chats in the process that runs them. */
@Injectable()
export class ChatStops {
  constructor(
    private readonly sessions: SessionsService,
    private readonly streams: SessionStreams,
    @Part('runner') private readonly runner: ChatRunner,
    @Part('bus') private readonly bus: EventBus,
  ) {}

  /** Stops the current exchange. @throws AishError `not_found` */
  async stop(by: string, reference: string): Promise<StopResult> {
    const session = await this.sessions.findChat(reference);
    if (await this.runner.stop(session.id, by)) return this.stopped(session.id, true);
    if (session.state === 'idle') return { stopped: false, session };
    if (session.state === 'deciding' && (await this.runner.stopWaiting(session.id, by)))
      return this.stopped(session.id, true);
    const feed = this.streams.feed(session.id);
    await this.bus.publish({ type: 'stop', sessionId: session.id, by });
    for await (const item of feed.items(0, AbortSignal.timeout(STOP_WAIT_MS))) {
      if (item.type !== 'event' || item.event.body.type !== 'exchange.ended') continue;
      const now = await this.sessions.find(session.id);
      if (now.state === 'idle') return { stopped: true, session: now };
    }
    return this.stopped(session.id, false);
  }

  private async stopped(sessionId: string, stopped: boolean): Promise<StopResult> {
    return { stopped, session: await this.sessions.find(sessionId) };
  }
}
