import { settleable } from './settleable.js';
import { OutputMarks, type Ending, type Measured } from './output-marks.js';
import type { Piece } from './frame-splitter.js';

/** Reads everything that a container prints, without ever pausing: a paused reader would block the engine. */
export class ContainerStream {
  /** Resolves when the launcher begins its command. */
  readonly begun: Promise<void>;
  /** Resolves when the launcher reports how the command ended. */
  readonly ended: Promise<Ending>;
  /**
   * Resolves with the size of the workspace when the launcher has measured it, or with null if the measurement failed.
   */
  readonly measured: Promise<Measured | null>;
  /** Resolves when no more output can arrive, because the container is dead or the connection broke. */
  readonly closed: Promise<void>;
  private readonly marks: OutputMarks;
  private isOpen = true;

  /**
   * @param token of the container's launcher.
   * @param take receives the output of the command; it may be replaced between two pieces.
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

  /** How the command ended, if the launcher has already reported it. */
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
      // The stream broke. The caller asks the engine what became of the container.
    }
    for (const output of this.marks.rest()) this.take(output);
  }
}
