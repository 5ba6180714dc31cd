import type { StdioRequest } from '@aish/contracts/stdio';

/** How a program over stdin and stdout ended. */
export interface StdioEnd {
  /** The exit code; null if it is unknown, because the connection broke or this side closed it. */
  readonly exitCode: number | null;
  readonly outOfMemory: boolean;
  /** A description for people. */
  readonly detail: string;
}

export interface StdioHandlers {
  /** Called with one line of stdout, without its line break. */
  readonly onLine: (line: string) => void;
  readonly onStderr: (text: string) => void;
}

/** A running program. It ends with its connection, whichever side closes it. */
export interface StdioProgram {
  /** Sends one line. Lines to a program that has ended are lost, and `ended` reports the end. */
  send(line: string): void;
  readonly ended: Promise<StdioEnd>;
  /** Kills the program. Resolves when the connection is closed. */
  close(): Promise<void>;
}

/** Runs programs over stdin and stdout, each in a container, for as long as the caller is connected. */
export abstract class StdioPrograms {
  /**
   * Starts a program. Resolves when it has started. Aborting the signal afterwards does nothing; use `close`.
   *
   * @throws AishError `sandbox_unreachable`, `engine_unavailable`, `image_missing`, `too_many`, `sandbox_interrupted`,
   *   `aborted`
   */
  abstract start(request: StdioRequest, handlers: StdioHandlers, signal: AbortSignal): Promise<StdioProgram>;
}
