import { escapeHidden } from '@aish/contracts/visible-text';
import type { ReadStream } from 'node:tty';
import { paletteFor, plainPalette, toAnsi, type Palette } from '@aish/views/text/palette';
import type { Line } from '@aish/views/line';
import type { ClientConfig } from './config.js';
import { AishError } from '@aish/contracts/problems';

/** The functions and streams of the process that commands use. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly config: ClientConfig;
  /** Aborted by Ctrl-C and by signals. */
  readonly signal: AbortSignal;
  /** Runs something that Ctrl-C interrupts separately: `interrupted` aborts, and `signal` does not. */
  readonly apart?: <T>(work: (interrupted: AbortSignal) => Promise<T>) => Promise<T>;
  /** Receives the ID of a plan that was shown, if stdin cannot answer but a person is watching. */
  readonly onPlan?: (planId: string) => void;
  /** Receives the number of candidates that wait for a review, if they are answered elsewhere than on stdin. */
  readonly onCandidates?: (count: number) => void;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string | Uint8Array): boolean;
  /** Calls back when there is room again after a `write` that returned false. */
  once?(event: 'drain', listener: () => void): unknown;
  /** Receives structured lines instead of terminal text, for a client that draws them itself. */
  writeLines?(lines: readonly Line[]): void;
}

/** Returns colours for a terminal that supports them, unless NO_COLOR is set. Pipes and files get none. */
export function paletteOf(output: Output, { NO_COLOR, TERM }: ClientConfig): Palette {
  if (output.isTTY !== true || TERM === 'dumb') return plainPalette;
  return NO_COLOR === undefined ? paletteFor(16) : paletteFor(0);
}

/** Returns the columns of a line; unlimited in pipes and files. */
export function widthOf({ isTTY, columns }: Output): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : Infinity;
}

export function writeLines(io: Io, lines: readonly Line[]): void {
  if (io.stdout.writeLines !== undefined) return io.stdout.writeLines(lines);
  const palette = paletteOf(io.stdout, io.config);
  io.stdout.write(lines.map((each) => `${toAnsi(each, palette).trimEnd()}\n`).join(''));
}

/** Writes a message to the person, which is not part of the result, to stderr. */
export function note(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** Writes one JSON document. With `indent` 0 it is on one line. */
export function writeJson(io: Io, value: unknown, indent = 2): void {
  // JSON leaves invisible characters unchanged. A terminal may obey them, and a person approves only what they can
  // read.
  io.stdout.write(`${escapeHidden(JSON.stringify(value, null, indent))}\n`);
}

/** The limit is higher than that of the api, so that the api reports its own limit. */
const STDIN_MAX_CHARS = 4_000_000;

/** Reads all of standard input as text. */
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

/**
 * Runs a function that uses a file of the person who typed the command.
 *
 * @throws AishError `invalid_body` for an error of that file.
 */
export async function localFile<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw localError(error);
  }
}

/** Converts an error of a local file to wrong usage. Other errors stay unchanged. */
export function localError(cause: unknown): unknown {
  const { code, message, path } = cause as NodeJS.ErrnoException;
  // Node reports a full disk without a path.
  const isOfFile = code === 'ENOSPC' || (code !== undefined && path !== undefined);
  return isOfFile ? new AishError('invalid_body', message, {}, { cause }) : cause;
}
