import type { Duplex } from 'node:stream';
import { AishError } from '@aish/contracts/problems';
import type Docker from 'dockerode';
import type { DockerEngine } from './docker.engine.js';

const STDERR_MAX_BYTES = 8_192;
const LOOKS = 100;
const LOOK_EVERY_MS = 20;

/** How a helper ended. `exitCode` is null when it was killed at its time limit. */
export interface HelperEnd {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** A helper that was started. */
export class Helper {
  /** What it prints on stdout. Ends when it is dead; reading may pause. */
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

  /** How it ended; call it after the end of its output. */
  async end(): Promise<HelperEnd> {
    const stderr = Buffer.concat(this.stderr).toString();
    if (this.signal.aborted) return { exitCode: null, stderr };
    // The stream ends a moment before the engine has noted why.
    for (let look = 0; look < LOOKS; look += 1) {
      const { State } = await this.engine.ask(() => this.attached.container.inspect());
      if (!State.Running && State.Status !== 'created') return { exitCode: State.ExitCode, stderr };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    throw new AishError('internal', 'A helper closed its output and did not end');
  }

  /** Kills and removes it. Resolves when it is gone; harmless when that was done before. */
  close(): Promise<void> {
    this.signal.removeEventListener('abort', this.cut);
    // First the stream: an attached reader that has paused would make the engine hang.
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
      // The time limit or the caller cut it off. Its end says so.
      if (!this.signal.aborted) throw error;
    }
  }
}
