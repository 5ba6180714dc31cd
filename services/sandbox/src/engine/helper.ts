import type { Duplex } from 'node:stream';
import { AishError } from '@aish/contracts/problems';
import type Docker from 'dockerode';
import type { DockerEngine } from './docker.engine.js';

const STDERR_MAX_BYTES = 8_192;
const LOOKS = 100;
const LOOK_EVERY_MS = 20;

/** How a helper ended. `exitCode` is null if it was killed at its time limit. */
export interface HelperEnd {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** A running helper. */
export class Helper {
  /** The stdout of the helper. The stream ends when the helper is dead, and the reader may pause. */
  readonly output: AsyncGenerator<Uint8Array, void>;
  private readonly stderr: Uint8Array[] = [];
  private stderrBytes = 0;
  private closing: Promise<void> | null = null;
  private readonly cut: () => void;

  constructor(
    private readonly engine: DockerEngine,
    private readonly attached: { readonly container: Docker.Container; readonly stream: Duplex },
    private readonly signal: AbortSignal,
    private readonly remove: () => Promise<void>,
  ) {
    this.cut = () => attached.stream.destroy();
    signal.addEventListener('abort', this.cut, { once: true });
    if (signal.aborted) this.cut();
    this.output = this.read();
  }

  /** Returns how the helper ended. Call this after the output has ended. */
  async end(): Promise<HelperEnd> {
    const stderr = Buffer.concat(this.stderr).toString();
    if (this.signal.aborted) return { exitCode: null, stderr };
    // The stream ends shortly before the engine records the exit code.
    for (let look = 0; look < LOOKS; look += 1) {
      const { State } = await this.engine.ask(() => this.attached.container.inspect());
      if (!State.Running && State.Status !== 'created') return { exitCode: State.ExitCode, stderr };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    throw new AishError('internal', 'A helper container closed its output but did not exit');
  }

  /** Kills and removes the helper. Resolves when it is gone; repeated calls are harmless. */
  close(): Promise<void> {
    this.signal.removeEventListener('abort', this.cut);
    // The stream is destroyed first, because a paused reader would block the engine.
    this.attached.stream.destroy();
    this.closing ??= this.remove();
    return this.closing;
  }

  private async *read(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const { stream, bytes } of this.engine.pieces(this.attached.stream)) {
        if (stream === 'stdout') yield bytes;
        else if (this.stderrBytes < STDERR_MAX_BYTES) {
          this.stderrBytes += bytes.length;
          this.stderr.push(Uint8Array.from(bytes));
        }
      }
    } catch (error) {
      // An aborted signal means that the time limit or the caller cut off the stream, which `end` reports.
      if (!this.signal.aborted) throw error;
    }
  }
}
