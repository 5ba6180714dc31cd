import type { Piece, StreamName } from './frame-splitter.js';

/** How a command ended, as its launcher says. */
export interface Ending {
  readonly exitCode: number;
  readonly durationMs: number;
  /** Folder and exported variables at the end, as `parseSession` reads them; null when they were not handed on. */
  readonly session: Buffer | null;
}

/** What lies in a workspace. */
export interface Measured {
  readonly sizeKib: number;
  readonly files: number;
}

const RS = 0x1e;
/** What `newToken` makes. */
const TOKEN_CHARS = 64;
const CAPTURE_MAX_BYTES = 96 * 1024;
const ENDING = /^(\d{1,3}) (\d{1,15})$/;
const MEASURED = /^(\d{1,15}) (\d{1,15})$/;

interface StreamState {
  /** The last bytes, as long as they may be the first of a mark. */
  held: Buffer;
  isOver: boolean;
}

/**
 * Takes what the launcher prints for this service (scripts/launcher.sh) out of what its command prints: marks, each RS,
 * half of the container's token and one character. With the first half, before the command: `s`: size in KiB and files of
 * the workspace follow, or `-`, up to the next mark; newline: the command begins; the engine's log shows what has the end
 * of its line, so the beginning is seen there at once. With the second half, after it: `h`: the session follows. `e`: exit
 * code and microseconds follow. `.`: output goes on. `z`: nothing comes on this stream. Whatever else looks like a mark is
 * output: a command may have found the first half.
 */
export class OutputMarks {
  begun = false;
  /** Undefined as long as nothing was said; null when it could not be measured. */
  measured: Measured | null | undefined;
  private readonly before: Buffer;
  private readonly after: Buffer;
  private readonly streams: Record<StreamName, StreamState> = { stdout: newState(), stderr: newState() };
  private capture: { readonly letter: string; readonly parts: Buffer[]; bytes: number } | null = null;
  private session: Buffer | null = null;
  private said: Omit<Ending, 'session'> | null = null;

  constructor(token: string) {
    // A container of the version before has one short token for all, and hands its session on with `e`: it is left out.
    const half = token.length < TOKEN_CHARS ? 0 : TOKEN_CHARS / 2;
    this.before = Buffer.from(`\x1e${token.slice(0, half || undefined)}`);
    this.after = Buffer.from(`\x1e${token.slice(half)}`);
  }

  /** How the command ended, once both streams are over. */
  get ending(): Ending | null {
    if (this.said === null || !this.streams.stdout.isOver || !this.streams.stderr.isOver) return null;
    return { ...this.said, session: this.session };
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
      const mark = this.markOf(stream);
      const at = rest.indexOf(mark);
      const end = at < 0 ? heldFrom(rest, mark) : at;
      this.pass({ stream, bytes: rest.subarray(0, end) }, output);
      if (at < 0 || at + mark.length === rest.length) {
        // Copied, because it outlives the chunk that it was cut from.
        state.held = Buffer.from(rest.subarray(end));
        break;
      }
      this.read(stream, String.fromCharCode(rest[at + mark.length] ?? 0));
      rest = rest.subarray(at + mark.length + 1);
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

  /** What is said on stderr is said at the end. */
  private markOf(stream: StreamName): Buffer {
    return stream === 'stdout' && !this.begun ? this.before : this.after;
  }

  private read(stream: StreamName, letter: string): void {
    if (stream === 'stdout') this.endCapture();
    if (letter === 'z') this.streams[stream].isOver = true;
    else if (stream === 'stderr') return;
    else if (letter === '\n') this.begun = true;
    else if (letter === (this.begun ? 'h' : 's') || (this.begun && letter === 'e')) {
      this.capture = { letter, parts: [], bytes: 0 };
    }
  }

  private endCapture(): void {
    if (this.capture === null) return;
    const { letter, parts, bytes } = this.capture;
    this.capture = null;
    const captured = Buffer.concat(parts);
    if (letter === 'h') this.session = bytes > CAPTURE_MAX_BYTES ? null : captured;
    else if (letter === 's') this.measured = measuredOf(captured.toString('latin1'));
    else this.said = endingOf(captured.toString('latin1').split('\0', 1)[0] ?? '');
  }
}

/** `KIB FILES`, as scripts/launcher.sh and scripts/measure.sh say it; null when it is not that. */
export function measuredOf(text: string): Measured | null {
  const [, sizeKib, files] = MEASURED.exec(text) ?? [];
  return sizeKib === undefined ? null : { sizeKib: Number(sizeKib), files: Number(files) };
}

function endingOf(text: string): Omit<Ending, 'session'> | null {
  const [, exitCode, micros] = ENDING.exec(text) ?? [];
  if (exitCode === undefined || Number(exitCode) > 255) return null;
  return { exitCode: Number(exitCode), durationMs: Number(micros) / 1000 };
}

/** From where on the bytes may be the beginning of a mark. */
function heldFrom(bytes: Buffer, mark: Buffer): number {
  const at = bytes.lastIndexOf(RS);
  const isStart = at >= 0 && mark.subarray(0, bytes.length - at).equals(bytes.subarray(at));
  return isStart ? at : bytes.length;
}

function newState(): StreamState {
  return { held: Buffer.alloc(0), isOver: false };
}
