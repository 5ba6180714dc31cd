import { setTimeout as sleep } from 'node:timers/promises';
import { isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import type { Logger } from '@aish/http';
import { maskSecrets } from '@aish/secrets';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Part } from '../part.js';
import { intentOf } from './intent.js';
import type { Incoming, Messenger, Messengers } from './messenger.js';
import { MessengerReplies } from './replies.service.js';

const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

/**
 * Polls the messengers and answers what arrives. A messenger accepts only one poller, so only one api polls it at a
 * time. A messenger that fails holds nothing else up.
 */
@Injectable()
export class MessengerPoller implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  /** Messengers whose wrong token or room was already reported. */
  private readonly reported = new Set<string>();

  constructor(
    @Part('db') private readonly db: Database,
    @Part('messengers') private readonly messengers: Messengers,
    @Part('logger') private readonly logger: Logger,
    private readonly replies: MessengerReplies,
  ) {}

  onApplicationBootstrap(): void {
    for (const messenger of this.messengers.all) this.keep(this.poll(messenger));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private keep(work: Promise<void>): void {
    const kept = work.finally(() => this.running.delete(kept));
    this.running.add(kept);
  }

  private async poll(messenger: Messenger): Promise<void> {
    const { signal } = this.stopping;
    let pauseMs = PAUSE_MIN_MS;
    while (!signal.aborted) {
      try {
        const receive = async (held: AbortSignal): Promise<void> => {
          for await (const incoming of messenger.receive(held)) {
            pauseMs = PAUSE_MIN_MS;
            this.reported.delete(messenger.name);
            await this.take(messenger, incoming);
          }
        };
        await withAdvisoryLock(this.db, LockNamespace.messenger, messenger.name, receive, { waitMs: 0, signal });
      } catch (err) {
        if (signal.aborted) return;
        this.report(messenger, err, pauseMs);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2);
    }
  }

  /** Reports a wrong token or room once, and an outage when it begins. */
  private report({ name }: Messenger, err: unknown, pauseMs: number): void {
    if (isAishError(err, 'locked')) return; // Another api polls.
    if (isAishError(err, 'messenger_refused')) {
      if (this.reported.has(name)) return;
      this.reported.add(name);
      const settings = name === 'telegram' ? 'TELEGRAM_TOKEN' : 'MATRIX_TOKEN and MATRIX_ROOM';
      this.logger.error(
        { messenger: name, status: err.facts['status'] },
        `the messenger is refused; check ${settings}`,
      );
      return;
    }
    if (pauseMs === PAUSE_MIN_MS) this.logger.warn({ messenger: name, err }, 'a messenger is unavailable; retrying');
  }

  /** A chat can take minutes, and verdicts must not wait for it. */
  private async take(messenger: Messenger, incoming: Incoming): Promise<void> {
    const work = this.answer(messenger, incoming);
    this.keep(work);
    if (intentOf(incoming).type !== 'chat') await work;
  }

  private async answer(messenger: Messenger, incoming: Incoming): Promise<void> {
    const { signal } = this.stopping;
    try {
      const text = await this.replies.answer(incoming, intentOf(incoming), signal).catch((error: unknown) => {
        if (isAishError(error) && error.status < 500) return error.message;
        throw error;
      });
      if (text !== null) await messenger.answer(incoming, await maskSecrets(text), signal);
    } catch (err) {
      if (!signal.aborted) this.logger.warn({ messenger: messenger.name, err }, 'could not answer in a messenger');
    }
  }
}
