import type { ToolResult } from '@aish/contracts/tools';

/** A tool's answer that was too large for a model, or is not text. */
export interface KeptResult {
  readonly handle: string;
  readonly label: string;
  /** The media type; null for text. */
  readonly mimeType: string | null;
  readonly sizeBytes: number;
}

/** Stores large results and attachments, by session. */
export interface ResultStore {
  /**
   * Stores a text, or bytes as base64. The number per session is limited, and the oldest are dropped first.
   *
   * @returns its handle, such as `r-12`.
   */
  keep(
    sessionId: string,
    result: {
      readonly label: string;
      readonly mimeType: string | null;
      readonly content: string;
      readonly sizeBytes: number;
    },
  ): Promise<string>;
  /** Returns a stored text, or null if the session has none with that handle. */
  readText(sessionId: string, handle: string): Promise<string | null>;
}

/** A result in the form of the record: limited, with handles to the rest. */
export interface ShownResult {
  readonly result: ToolResult;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}
