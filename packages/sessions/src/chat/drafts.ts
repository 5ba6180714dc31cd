import { appendDrafts } from '@aish/database/chats.repository';
import type { Database } from '@aish/database/client';

const FLUSH_MS = 1_000;

interface Draft {
  readonly epoch: number;
  text: string;
  reasoning: string;
}

/**
 * Saves partial answers as they arrive, for all chats of this process in one statement per second. A crash loses at
 * most one second of text.
 */
export class Drafts {
  private pending = new Map<string, Draft>();
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(sessionId: string, epoch: number, part: 'text' | 'reasoning', words: string): void {
    let draft = this.pending.get(sessionId);
    if (draft === undefined) {
      draft = { epoch, text: '', reasoning: '' };
      this.pending.set(sessionId, draft);
    }
    draft[part] += words;
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Drops text that is not saved yet, because the answer is complete or restarts. Waits for a write in progress. */
  async drop(sessionId: string): Promise<void> {
    this.pending.delete(sessionId);
    await this.writing;
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.pending.clear();
    await this.writing;
  }

  private flush(): void {
    this.timer = null;
    const drafts = [...this.pending].map(([sessionId, draft]) => ({ sessionId, ...draft }));
    this.pending = new Map();
    // A failed write is not an error of the chat, because the whole answer is saved when it ends.
    this.writing = this.writing.then(() => appendDrafts(this.db, drafts)).catch(this.onError);
  }
}
