import type { ToolResult } from '@aish/contracts/tools';

/** Something that a tool answered and that was too large, or of another kind, to be put before a model. */
export interface KeptResult {
  readonly handle: string;
  readonly label: string;
  /** Null for text. */
  readonly mimeType: string | null;
  readonly sizeBytes: number;
}

/** Where large results and attachments are kept, by session. */
export interface ResultStore {
  /** Keeps a text, or bytes as base64; bounded per session, the oldest go first. @returns its handle, `r-12`. */
  keep(
    sessionId: string,
    result: {
      readonly label: string;
      readonly mimeType: string | null;
      readonly content: string;
      readonly sizeBytes: number;
    },
  ): Promise<string>;
  /** A kept text, or null when there is none by that handle in that session. */
  readText(sessionId: string, handle: string): Promise<string | null>;
}

/** A result as the record keeps it: bounded, with handles to the rest. */
export interface ShownResult {
  readonly result: ToolResult;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}
