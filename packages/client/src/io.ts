import { escapeHidden } from '@aish/contracts/visible-text';
import type { ReadStream } from 'node:tty';
import { paletteFor, plainPalette, toAnsi, type Palette } from '@aish/views/text/palette';
import type { Line } from '@aish/views/line';
import type { ClientConfig } from './config.js';
import { AishError } from '@aish/contracts/problems';

/** The process as the commands see it. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly config: ClientConfig;
  /** Aborted by Ctrl-C and by signals. */
  readonly signal: AbortSignal;
  /** Does something that Ctrl-C ends alone: `interrupted` aborts then, and `signal` does not. */
  readonly apart?: <T>(work: (interrupted: AbortSignal) => Promise<T>) => Promise<T>;
  /** Takes the id of a plan that was shown, where nobody can be asked on stdin but somebody looks at it. */
  readonly onPlan?: (planId: string) => void;
  /** Takes how many candidates wait for a review, where they are answered elsewhere than on stdin. */
  readonly onCandidates?: (count: number) => void;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string | Uint8Array): boolean;
  /** Called back when there is room again after a `write` that said there was none. */
  once?(event: 'drain', listener: () => void): unknown;
  /** Takes structured lines instead of terminal text, for a client that draws them itself. */
  writeLines?(lines: readonly Line[]): void;
}

/** Enough colours on a terminal, unless NO_COLOR says no; none at all in pipes and files. */
export function paletteOf(output: Output, { NO_COLOR, TERM }: ClientConfig): Palette {
  if (output.isTTY !== true || TERM === 'dumb') return plainPalette;
  return NO_COLOR === undefined ? paletteFor(16) : paletteFor(0);
}

/** Cells of a line; no bound in pipes and files. */
export function widthOf({ isTTY, columns }: Output): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : Infinity;
}

export function writeLines(io: Io, lines: readonly Line[]): void {
  if (io.stdout.writeLines !== undefined) return io.stdout.writeLines(lines);
  const palette = paletteOf(io.stdout, io.config);
  io.stdout.write(lines.map((each) => `${toAnsi(each, palette).trimEnd()}\n`).join(''));
}

/** A word to the person that is not the result: on stderr. */
export function note(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** One JSON document; `indent` 0 keeps it on one line. */
export function writeJson(io: Io, value: unknown, indent = 2): void {
  // JSON leaves what nobody sees as it is: a terminal may obey it, and a person approves what they read.
  io.stdout.write(`${escapeHidden(JSON.stringify(value, null, indent))}\n`);
}

/** More than the api takes, so that it is the api which says how much is too much. */
const STDIN_MAX_CHARS = 4_000_000;

/** All of standard input, as text. */
export async function readAll({ stdin, signal }: Io): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    text += String(chunk);
    if (text.length > STDIN_MAX_CHARS) break;
  }
  return text;
}

/** Works with a file of the person who typed the command. @throws AishError `invalid_body` for what is wrong with that. */
export async function localFile<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw localError(error);
  }
}

/** What is wrong with a file here is wrong usage; any other error stays what it is. */
export function localError(cause: unknown): unknown {
  const { code, message, path } = cause as NodeJS.ErrnoException;
  // A full disk is told without the file.
  const isOfFile = code === 'ENOSPC' || (code !== undefined && path !== undefined);
  return isOfFile ? new AishError('invalid_body', message, {}, { cause }) : cause;
}
