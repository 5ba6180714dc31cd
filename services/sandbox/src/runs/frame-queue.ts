import type { RunFrame } from '@aish/contracts/runs';

const MERGED_MAX_CHARS = 16_384;
const WAITING_MAX_FRAMES = 4_096;

/**
 * Holds the frames that one listener has not read yet. The writer never waits for the listener: pieces that wait are
 * merged, and if there are still too many, some output is omitted. The writer limits the number of bytes.
 */
export class FrameQueue {
  private readonly frames: RunFrame[] = [];
  private isClosed = false;
  private wake: () => void = () => undefined;

  push(frame: RunFrame): void {
    const last = this.frames.at(-1);
    if (
      frame.type === 'output' &&
      last?.type === 'output' &&
      last.stream === frame.stream &&
      last.text.length + frame.text.length <= MERGED_MAX_CHARS
    ) {
      this.frames[this.frames.length - 1] = { ...last, text: last.text + frame.text };
    } else if (frame.type !== 'output' || this.frames.length < WAITING_MAX_FRAMES) this.frames.push(frame);
    this.wake();
  }

  /** Closes the queue: no more frames are added after those that already wait. */
  close(): void {
    this.isClosed = true;
    this.wake();
  }

  /** Yields the frames in order, until the queue is closed or `signal` aborts. Only one reader may use this. */
  async *read(signal: AbortSignal): AsyncGenerator<RunFrame> {
    const onAbort = () => this.wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const frame = this.frames.shift();
        if (frame !== undefined) yield frame;
        else if (this.isClosed) return;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
