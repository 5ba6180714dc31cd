import { isAishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { KnowledgeService } from './knowledge.service.js';

const FIRST_MS = 30_000;

/** Pushes the knowledge base periodically. Failures are logged, and stored for status and doctor. */
export class PushJob {
  private timer: NodeJS.Timeout | null = null;
  private pushing: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly knowledge: KnowledgeService,
    private readonly everyMs: number,
    private readonly logger: Logger,
  ) {}

  start(afterMs = Math.min(FIRST_MS, this.everyMs)): void {
    this.timer = setTimeout(() => {
      this.pushing = this.push().finally(() => {
        if (!this.stopping.signal.aborted) this.start(this.everyMs);
      });
    }, afterMs);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.stopping.abort();
    await this.pushing;
  }

  private async push(): Promise<void> {
    try {
      await this.knowledge.push(false, this.stopping.signal);
    } catch (err) {
      if (this.stopping.signal.aborted || isAishError(err, 'knowledge_missing')) return;
      this.logger.warn({ err }, 'could not push the knowledge base; the next push tries again');
    }
  }
}
