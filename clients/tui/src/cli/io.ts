import type { ReadStream } from 'node:tty';
import { paletteFor, plainPalette, toAnsi, type Palette } from '../text/palette.js';
import type { Line } from '../text/line.js';
import type { ClientConfig } from '../config.js';

/** The process as the commands see it. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly config: ClientConfig;
  /** Aborted by Ctrl-C and by signals. */
  readonly signal: AbortSignal;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): boolean;
}

/** Enough colours on a terminal, unless NO_COLOR says no; none at all in pipes and files. */
export function paletteOf(output: Output, { NO_COLOR, TERM }: ClientConfig): Palette {
  if (output.isTTY !== true || TERM === 'dumb') return plainPalette;
  return NO_COLOR === undefined ? paletteFor(16) : paletteFor(0);
}

export function writeLines(io: Io, lines: readonly Line[]): void {
  const palette = paletteOf(io.stdout, io.config);
  io.stdout.write(lines.map((each) => `${toAnsi(each, palette).trimEnd()}\n`).join(''));
}

/** A word to the person that is not the result: on stderr. */
export function note(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** One JSON document; `indent` 0 keeps it on one line. */
export function writeJson(io: Io, value: unknown, indent = 2): void {
  // JSON leaves C1 control characters as they are; a terminal may obey them.
  const text = JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  io.stdout.write(`${text}\n`);
}
