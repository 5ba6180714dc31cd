import type { ToolResult } from '@aish/contracts/tools';

/** A result as the record keeps it: bounded, with handles to the rest. */
export interface ShownResult {
  readonly result: ToolResult;
  /** Names of tools that the model has just found, for the next request. */
  readonly found: readonly string[];
}
