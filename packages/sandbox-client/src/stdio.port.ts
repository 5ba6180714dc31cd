import type { StdioRequest } from '@aish/contracts/stdio';

/** How a program over stdin and stdout came to its end. */
export interface StdioEnd {
  /** Null when nobody knows: the connection broke, or it was closed from here. */
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
  /** In words, for people. */
  readonly detail: string;
}

export interface StdioHandlers {
  /** One line of stdout, without its line break. */
  readonly onLine: (line: string) => void;
  readonly onStderr: (text: string) => void;
}

/** A running program. It ends with its connection, whichever side closes it. */
export interface StdioProgram {
  /** Gives it one line. Lines to a program that has ended are lost; `ended` tells. */
  send(line: string): void;
  readonly ended: Promise<StdioEnd>;
  /** Kills it. Resolves when the connection is closed. */
  close(): Promise<void>;
}

/** Runs programs that are spoken to over stdin and stdout, each in a container, for as long as somebody is there. */
export abstract class StdioPrograms {
  /**
   * Resolves when it has started. Aborting the signal afterwards does nothing: `close` ends it.
   * @throws AishError `sandbox_unreachable`, `engine_unavailable`, `image_missing`, `too_many`, `sandbox_interrupted`,
   *   `aborted`
   */
  abstract start(request: StdioRequest, handlers: StdioHandlers, signal: AbortSignal): Promise<StdioProgram>;
}
