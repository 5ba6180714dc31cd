import type { AskChunk } from '@aish/broker';
import type { LiveProgress } from '@aish/contracts/chat';

const EVERY_MS = 1_000;
/** The average for English prose. Models do not report how many tokens they have written so far. */
const CHARS_PER_TOKEN = 4;

/** Reports what the model does: once a second, and immediately after a change. The caller must always stop it. */
export class ModelProgress {
  private readonly beganAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private now: Omit<LiveProgress, 'seconds'> = { phase: 'waits', done: null, of: null };
  private chars = 0;

  constructor(private readonly tell: (progress: LiveProgress) => void) {
    this.timer = setInterval(() => this.say(), EVERY_MS);
    this.timer.unref();
  }

  add(chunk: AskChunk): void {
    const before = this.now.phase;
    this.now = this.after(chunk);
    if (chunk.type === 'progress' || chunk.type === 'retry' || this.now.phase !== before) this.say();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private after(chunk: AskChunk): Omit<LiveProgress, 'seconds'> {
    switch (chunk.type) {
      case 'progress':
        return { phase: 'reads', done: chunk.processed, of: chunk.total };
      case 'reasoning':
        return this.counted('thinks', chunk.text);
      case 'text':
        return this.counted('writes', chunk.text);
      case 'toolCall':
        return this.counted('writes', chunk.argumentsDelta);
      case 'retry':
        if (chunk.reason === 'unreachable') return { phase: 'unreachable', done: null, of: null };
        return { phase: 'loads', done: chunk.percent ?? null, of: 100 };
      case 'again':
        this.chars = 0;
        return { phase: 'waits', done: null, of: null };
      case 'understood':
        return this.now;
    }
  }

  private counted(phase: 'thinks' | 'writes', text: string): Omit<LiveProgress, 'seconds'> {
    this.chars += text.length;
    return { phase, done: Math.ceil(this.chars / CHARS_PER_TOKEN), of: null };
  }

  private say(): void {
    this.tell({ ...this.now, seconds: Math.floor((performance.now() - this.beganAt) / 1_000) });
  }
}
