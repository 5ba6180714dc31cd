import type { Piece, StreamName } from './frame-splitter.js';

/** How a command ended, as its launcher says. A command could say so itself; it only tells of itself. */
export interface Ending {
  readonly exitCode: number;
  readonly durationMs: number;
  /** Folder and exported variables at the end, as `parseSession` reads them; null when they were not handed on. */
  readonly session: Buffer | null;
}

const RS = 0x1e;
const CAPTURE_MAX_BYTES = 96 * 1024;
const ENDING = /^(\d{1,3}) (\d{1,15})$/;

interface StreamState {
  /** The last bytes, as long as they may be the first of a mark. */
  held: Buffer;
  isOver: boolean;
}

/**
 * Takes what the launcher prints for this service (scripts/launcher.sh) out of what its command prints: marks, each RS,
 * the container's token and one character. Newline: the command begins; the engine's log shows what has the end of its line,
 * so the beginning is seen there at once. `s`: the size of the workspace in KiB follows, up to the
 * next mark. `e`: exit code, microseconds and session follow. `.`: output goes on. `z`: nothing comes on this stream.
 */
export class OutputMarks {
  begun = false;
  sizeKib: number | null = null;
  private readonly mark: Buffer;
  private readonly streams: Record<StreamName, StreamState> = { stdout: newState(), stderr: newState() };
  private capture: { readonly letter: string; readonly parts: Buffer[]; bytes: number } | null = null;
  private said: Ending | null = null;

  constructor(token: string) {
    this.mark = Buffer.from(`\x1e${token}`);
  }

  /** How the command ended, once both streams are over. */
  get ending(): Ending | null {
    return this.streams.stdout.isOver && this.streams.stderr.isOver ? this.said : null;
  }

  /** What of a piece the command printed. */
  filter({ stream, bytes }: Piece): Piece[] {
    const state = this.streams[stream];
    const output: Piece[] = [];
    let rest =
      state.held.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([state.held, bytes]);
    state.held = Buffer.alloc(0);
    while (!state.isOver) {
      const at = rest.indexOf(this.mark);
      const end = at < 0 ? this.heldFrom(rest) : at;
      this.pass({ stream, bytes: rest.subarray(0, end) }, output);
      if (at < 0 || at + this.mark.length === rest.length) {
        // Copied, because it outlives the chunk that it was cut from.
        state.held = Buffer.from(rest.subarray(end));
        break;
      }
      this.read(stream, String.fromCharCode(rest[at + this.mark.length] ?? 0));
      rest = rest.subarray(at + this.mark.length + 1);
    }
    return output;
  }

  /** What was held back of a stream that has ended: it was no mark after all. */
  rest(): Piece[] {
    const output: Piece[] = [];
    for (const stream of ['stdout', 'stderr'] as const) {
      this.pass({ stream, bytes: this.streams[stream].held }, output);
      this.streams[stream].held = Buffer.alloc(0);
    }
    return output;
  }

  private pass(piece: Piece, output: Piece[]): void {
    if (piece.bytes.length === 0) return;
    if (this.capture === null || piece.stream === 'stderr') output.push(piece);
    else if (this.capture.bytes <= CAPTURE_MAX_BYTES) {
      this.capture.parts.push(Buffer.from(piece.bytes));
      this.capture.bytes += piece.bytes.length;
    }
  }

  private read(stream: StreamName, letter: string): void {
    if (stream === 'stdout') this.endCapture();
    if (letter === 'z') this.streams[stream].isOver = true;
    else if (stream === 'stderr') return;
    else if (letter === '\n') this.begun = true;
    else if (letter === 's' || letter === 'e') this.capture = { letter, parts: [], bytes: 0 };
  }

  private endCapture(): void {
    if (this.capture === null) return;
    const { letter, parts, bytes } = this.capture;
    this.capture = null;
    const captured = Buffer.concat(parts);
    if (letter === 's') {
      const size = Number(captured.toString('latin1'));
      if (Number.isSafeInteger(size) && size >= 0) this.sizeKib = size;
      return;
    }
    const nul = captured.indexOf(0);
    const [, exitCode, micros] = ENDING.exec(captured.toString('latin1', 0, Math.max(0, nul))) ?? [];
    if (exitCode === undefined || Number(exitCode) > 255) return;
    const session = captured.subarray(nul + 1);
    this.said = {
      exitCode: Number(exitCode),
      durationMs: Number(micros) / 1000,
      session: session.length === 0 || bytes > CAPTURE_MAX_BYTES ? null : session,
    };
  }

  private heldFrom(bytes: Buffer): number {
    const at = bytes.lastIndexOf(RS);
    const isStart = at >= 0 && this.mark.subarray(0, bytes.length - at).equals(bytes.subarray(at));
    return isStart ? at : bytes.length;
  }
}

function newState(): StreamState {
  return { held: Buffer.alloc(0), isOver: false };
}
