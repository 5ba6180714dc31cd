import { invariant } from '@aish/contracts/invariant';
import type { Piece, StreamName } from './frame-splitter.js';

/** How a command ended, as reported by its launcher. */
export interface Ending {
  readonly exitCode: number;
  readonly durationMs: number;
  /**
   * The folder and exported variables at the end, for `parseSession`; null if the command's shell did not pass them on.
   */
  readonly session: Buffer | null;
}

/** The size of a workspace. */
export interface Measured {
  readonly sizeKib: number;
  readonly files: number;
}

const RS = 0x1e;
/** The length of a token from `newToken`, which has three parts. */
const TOKEN_CHARS = 96;
const PART_CHARS = 32;
const CAPTURE_MAX_BYTES = 96 * 1024;
const ENDING = /^(\d{1,3}) (\d{1,15})$/;
const MEASURED = /^(\d{1,15}) (\d{1,15})$/;

interface StreamState {
  /** The last bytes of the stream, as long as they may be the beginning of a mark. */
  held: Buffer;
  isOver: boolean;
}

/**
 * Separates what the launcher prints for this service (scripts/launcher.sh) from the output of its command. The
 * launcher prints marks. Each mark is RS, a part of the container's token, and one character.
 *
 * - Marks with the first part of the token come before the command. `s` is followed by the size of the workspace in KiB
 *   and its number of files, or by `-`, up to the next mark. A newline means that the command begins. The engine's log
 *   shows complete lines, so the beginning is visible there at once.
 * - With the second part, the command's own shell passes its session on, from `h` to `.`.
 * - Marks with the third part come after the command. `e` is followed by the exit code and the duration in
 *   microseconds. `.` means that output continues, and `z` that this stream ends.
 *
 * Everything else that looks like a mark is output, because a command may have found the first part, and its own shell
 * knows the second. A session therefore counts only directly before the launcher's own `e`. In any other place it is
 * output, so nothing is hidden.
 */
export class OutputMarks {
  begun = false;
  /** The size of the workspace: undefined until it is reported, null if it could not be measured. */
  measured: Measured | null | undefined;
  private readonly before: Buffer;
  private readonly handing: Buffer;
  private readonly after: Buffer;
  private readonly streams: Record<StreamName, StreamState> = { stdout: newState(), stderr: newState() };
  private capture: { readonly letter: string; readonly parts: Buffer[]; bytes: number } | null = null;
  private handed: { readonly parts: Buffer[]; bytes: number; isClosed: boolean } | null = null;
  private session: Buffer | null = null;
  private reported: Omit<Ending, 'session'> | null = null;

  constructor(token: string) {
    // A container of the previous version has one short token for all marks, and passes its session on with `e`.
    const part = (at: number) => token.slice(at * PART_CHARS, (at + 1) * PART_CHARS);
    const parts = token.length < TOKEN_CHARS ? olderParts(token) : [part(0), part(1), part(2)];
    const [before, handing, after] = parts.map((text) => Buffer.from(`\x1e${text}`));
    invariant(before !== undefined && handing !== undefined && after !== undefined, 'a token has three parts');
    [this.before, this.handing, this.after] = [before, handing, after];
  }

  /** How the command ended. This is known after both streams have ended. */
  get ending(): Ending | null {
    if (this.reported === null || !this.streams.stdout.isOver || !this.streams.stderr.isOver) return null;
    return { ...this.reported, session: this.session };
  }

  /** Returns the part of a piece that the command printed. */
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
        // The bytes are copied, because they are needed longer than their chunk.
        state.held = Buffer.from(rest.subarray(end));
        break;
      }
      const letter = String.fromCharCode(rest[at + mark.length] ?? 0);
      const isHanding = mark === this.handing;
      // After an invalid mark, the text may still contain the beginning of the next mark.
      const isMark = !isHanding || letter === 'h' || letter === '.';
      const whole = rest.subarray(at, at + mark.length + (isMark ? 1 : 0));
      if (isHanding) this.hand(isMark ? letter : '', whole, output);
      else this.read(stream, letter, output);
      rest = rest.subarray(at + whole.length);
    }
    return output;
  }

  /** Returns the held bytes of a stream that has ended, because they were not a mark. */
  rest(): Piece[] {
    const output: Piece[] = [];
    if (this.reported === null) this.giveBack(output);
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

  /** Handles a session mark of the command's own shell: a session begins or ends. */
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

  /** Treats the bytes as output, because they turned out not to be a session. */
  private giveBack(output: Piece[]): void {
    for (const bytes of this.handed?.parts ?? []) output.push({ stream: 'stdout', bytes });
    this.handed = null;
  }

  /** Takes the session without its marks, if it is complete and right before the end. */
  private takeHanded(output: Piece[]): void {
    if (this.handed?.isClosed !== true) return this.giveBack(output);
    this.session = Buffer.concat(this.handed.parts.slice(1, -1));
    this.handed = null;
  }

  /** Returns the marks of a stream. stderr has only end marks. */
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
    else this.reported = endingOf(captured.toString('latin1').split('\0', 1)[0] ?? '');
  }
}

/**
 * Parses `KIB FILES`, as printed by scripts/launcher.sh and scripts/measure.sh. Returns null if the text is malformed.
 */
export function measuredOf(text: string): Measured | null {
  const [, sizeKib, files] = MEASURED.exec(text) ?? [];
  return sizeKib === undefined ? null : { sizeKib: Number(sizeKib), files: Number(files) };
}

function endingOf(text: string): Omit<Ending, 'session'> | null {
  const [, exitCode, micros] = ENDING.exec(text) ?? [];
  if (exitCode === undefined || Number(exitCode) > 255) return null;
  return { exitCode: Number(exitCode), durationMs: Number(micros) / 1000 };
}

/**
 * Returns the token parts that earlier versions used. In the previous version, the command's shell used the launcher's
 * own part. Before that, one part served for everything.
 */
const olderParts = (token: string): readonly string[] =>
  token.length < 2 * PART_CHARS
    ? [token, token, token]
    : [token.slice(0, PART_CHARS), token.slice(PART_CHARS), token.slice(PART_CHARS)];

/** Finds the first mark in the bytes. */
function firstOf(bytes: Buffer, marks: readonly Buffer[]): { readonly at: number; readonly mark: Buffer | null } {
  const found = marks.map((mark) => ({ at: bytes.indexOf(mark), mark })).filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => a.at - b.at)[0] ?? { at: -1, mark: null };
}

/** Returns the position from which the bytes may be the beginning of a mark. */
function heldFrom(bytes: Buffer, marks: readonly Buffer[]): number {
  const at = bytes.lastIndexOf(RS);
  const isStart = at >= 0 && marks.some((mark) => mark.subarray(0, bytes.length - at).equals(bytes.subarray(at)));
  return isStart ? at : bytes.length;
}

function newState(): StreamState {
  return { held: Buffer.alloc(0), isOver: false };
}
