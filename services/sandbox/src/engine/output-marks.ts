import { invariant } from '@aish/contracts/invariant';
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
/** What `newToken` makes: three parts. */
const TOKEN_CHARS = 96;
const PART_CHARS = 32;
const CAPTURE_MAX_BYTES = 96 * 1024;
const ENDING = /^(\d{1,3}) (\d{1,15})$/;
const MEASURED = /^(\d{1,15}) (\d{1,15})$/;

interface StreamState {
  /** The last bytes, as long as they may be the first of a mark. */
  held: Buffer;
  isOver: boolean;
}

/**
 * Separates what the launcher prints for this service (scripts/launcher.sh) from the output of its command. The
 * launcher prints marks: RS, a part of the container's token, and one character.
 * With the first part, before the command. `s`: size in KiB and files of the workspace follow, or `-`, up to the next
 * mark. Newline: the command begins; the engine's log shows complete lines, so the beginning is visible there at once.
 * With the second part, the command's own shell passes its session on, from `h` to `.`.
 * With the third part, after the command. `e`: exit code and microseconds follow. `.`: output goes on. `z`: this stream
 * ends. Everything else that looks like a mark is output: a command may have found the first part, and its own shell
 * knows the second. So a session counts only right before the launcher's own `e`. Otherwise it is output, and nothing
 * is hidden.
 */
export class OutputMarks {
  begun = false;
  /** Undefined as long as nothing was said; null when it could not be measured. */
  measured: Measured | null | undefined;
  private readonly before: Buffer;
  private readonly handing: Buffer;
  private readonly after: Buffer;
  private readonly streams: Record<StreamName, StreamState> = { stdout: newState(), stderr: newState() };
  private capture: { readonly letter: string; readonly parts: Buffer[]; bytes: number } | null = null;
  private handed: { readonly parts: Buffer[]; bytes: number; isClosed: boolean } | null = null;
  private session: Buffer | null = null;
  private said: Omit<Ending, 'session'> | null = null;

  constructor(token: string) {
    // A container of the version before has one short token for all, and hands its session on with `e`: it is left out.
    const part = (at: number) => token.slice(at * PART_CHARS, (at + 1) * PART_CHARS);
    const parts = token.length < TOKEN_CHARS ? olderParts(token) : [part(0), part(1), part(2)];
    const [before, handing, after] = parts.map((text) => Buffer.from(`\x1e${text}`));
    invariant(before !== undefined && handing !== undefined && after !== undefined, 'a token has three parts');
    [this.before, this.handing, this.after] = [before, handing, after];
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
      const marks = this.marksOf(stream);
      const { at, mark } = firstOf(rest, marks);
      const end = mark === null ? heldFrom(rest, marks) : at;
      this.pass({ stream, bytes: rest.subarray(0, end) }, output);
      if (mark === null || at + mark.length === rest.length) {
        // Copied, because it outlives the chunk that it was cut from.
        state.held = Buffer.from(rest.subarray(end));
        break;
      }
      const letter = String.fromCharCode(rest[at + mark.length] ?? 0);
      const isHanding = mark === this.handing;
      // What is behind a mark that is none may begin the next one.
      const isMark = !isHanding || letter === 'h' || letter === '.';
      const whole = rest.subarray(at, at + mark.length + (isMark ? 1 : 0));
      if (isHanding) this.hand(isMark ? letter : '', whole, output);
      else this.read(stream, letter, output);
      rest = rest.subarray(at + whole.length);
    }
    return output;
  }

  /** What was held back of a stream that has ended: it was no mark after all. */
  rest(): Piece[] {
    const output: Piece[] = [];
    if (this.said === null) this.giveBack(output);
    for (const stream of ['stdout', 'stderr'] as const) {
      this.pass({ stream, bytes: this.streams[stream].held }, output);
      this.streams[stream].held = Buffer.alloc(0);
    }
    return output;
  }

  private pass(piece: Piece, output: Piece[]): void {
    if (piece.bytes.length === 0) return;
    if (piece.stream === 'stderr') output.push(piece);
    else if (this.capture === null) {
      if (this.handed?.isClosed === false) return this.keep(piece.bytes, output);
      this.giveBack(output);
      output.push(piece);
    } else if (this.capture.bytes <= CAPTURE_MAX_BYTES) {
      this.capture.parts.push(Buffer.from(piece.bytes));
      this.capture.bytes += piece.bytes.length;
    }
  }

  /** A session begins or ends, as the command's own shell says. */
  private hand(letter: string, whole: Buffer, output: Piece[]): void {
    const isOpen = this.handed?.isClosed === false;
    if (letter === 'h') {
      this.giveBack(output);
      this.handed = { parts: [], bytes: 0, isClosed: false };
    } else if (!isOpen) {
      this.giveBack(output);
      output.push({ stream: 'stdout', bytes: whole });
      return;
    }
    this.keep(whole, output);
    if (isOpen && letter === '.' && this.handed !== null) this.handed.isClosed = true;
  }

  private keep(bytes: Uint8Array, output: Piece[]): void {
    if (this.handed === null) return;
    this.handed.parts.push(Buffer.from(bytes));
    this.handed.bytes += bytes.length;
    if (this.handed.bytes > CAPTURE_MAX_BYTES) this.giveBack(output);
  }

  /** What was said to be a session and is none was printed. */
  private giveBack(output: Piece[]): void {
    for (const bytes of this.handed?.parts ?? []) output.push({ stream: 'stdout', bytes });
    this.handed = null;
  }

  /** The session without its marks, when all of it stands right before the end. */
  private takeHanded(output: Piece[]): void {
    if (this.handed?.isClosed !== true) return this.giveBack(output);
    this.session = Buffer.concat(this.handed.parts.slice(1, -1));
    this.handed = null;
  }

  /** What is said on stderr is said at the end. */
  private marksOf(stream: StreamName): readonly Buffer[] {
    if (stream === 'stderr') return [this.after];
    if (!this.begun) return [this.before];
    return this.handing.equals(this.after) ? [this.after] : [this.after, this.handing];
  }

  private read(stream: StreamName, letter: string, output: Piece[]): void {
    if (stream === 'stdout') {
      this.endCapture();
      if (this.begun && letter === 'e') this.takeHanded(output);
    }
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

/** The parts of the version before, whose shell handed on with the launcher's own; before that there was one part for all. */
const olderParts = (token: string): readonly string[] =>
  token.length < 2 * PART_CHARS
    ? [token, token, token]
    : [token.slice(0, PART_CHARS), token.slice(PART_CHARS), token.slice(PART_CHARS)];

/** The first of the marks in the bytes. */
function firstOf(bytes: Buffer, marks: readonly Buffer[]): { readonly at: number; readonly mark: Buffer | null } {
  const found = marks.map((mark) => ({ at: bytes.indexOf(mark), mark })).filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => a.at - b.at)[0] ?? { at: -1, mark: null };
}

/** From where on the bytes may be the beginning of a mark. */
function heldFrom(bytes: Buffer, marks: readonly Buffer[]): number {
  const at = bytes.lastIndexOf(RS);
  const isStart = at >= 0 && marks.some((mark) => mark.subarray(0, bytes.length - at).equals(bytes.subarray(at)));
  return isStart ? at : bytes.length;
}

function newState(): StreamState {
  return { held: Buffer.alloc(0), isOver: false };
}
