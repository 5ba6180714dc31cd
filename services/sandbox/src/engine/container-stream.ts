import { settleable } from './settleable.js';
import { OutputMarks, type Ending, type Measured } from './output-marks.js';
import type { Piece } from './frame-splitter.js';

/** Reads all that a container prints, to its end, and never waits: a reader that pauses would make the engine hang. */
export class ContainerStream {
  /** Resolves when the launcher begins its command. */
  readonly begun: Promise<void>;
  /** Resolves when the launcher says how the command ended. */
  readonly ended: Promise<Ending>;
  /** Resolves with what lies in the workspace, when the launcher has measured it; with null when it could not. */
  readonly measured: Promise<Measured | null>;
  /** Resolves when no more comes: the container is dead, or the connection broke. */
  readonly closed: Promise<void>;
  private readonly marks: OutputMarks;
  private isOpen = true;

  /**
   * @param token of the container's launcher.
   * @param take gets what the command prints; may be exchanged while nothing comes.
   */
  constructor(
    pieces: AsyncIterable<Piece>,
    token: string,
    public take: (piece: Piece) => void,
  ) {
    this.marks = new OutputMarks(token);
    const begun = settleable<void>();
    const ended = settleable<Ending>();
    const measured = settleable<Measured | null>();
    this.begun = begun.promise;
    this.ended = ended.promise;
    this.measured = measured.promise;
    this.closed = this.read(pieces, () => {
      if (this.marks.begun) begun.resolve();
      if (this.marks.measured !== undefined) measured.resolve(this.marks.measured);
      if (this.marks.ending !== null) ended.resolve(this.marks.ending);
    }).finally(() => (this.isOpen = false));
  }

  get isClosed(): boolean {
    return !this.isOpen;
  }

  get hasBegun(): boolean {
    return this.marks.begun;
  }

  /** How the command ended, when the launcher has said so already. */
  get ending(): Ending | null {
    return this.marks.ending;
  }

  private async read(pieces: AsyncIterable<Piece>, onMarks: () => void): Promise<void> {
    try {
      for await (const piece of pieces) {
        for (const output of this.marks.filter(piece)) this.take(output);
        onMarks();
      }
    } catch {
      // The stream broke off. The reader asks the engine about the container, and that answer, or its absence, counts.
    }
    for (const output of this.marks.rest()) this.take(output);
  }
}
