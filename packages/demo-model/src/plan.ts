import type { Result } from './conversation.js';

interface PlanStep {
  /** The text that the model writes before the command. */
  readonly words: string;
  readonly command: string;
  /** Returns what is wrong with a result although its command succeeded. */
  readonly check?: (result: Result) => string | undefined;
}

/** A fixed sequence of commands. The last one destroys something, so that aish halts. */
export interface Plan {
  readonly intent: string;
  readonly steps: readonly PlanStep[];
  /** Returns a summary of one line for the end of the plan. `isSkipped` means that the person skipped the last step. */
  readonly summary: (resultOf: (command: string) => Result | undefined, isSkipped: boolean) => string;
}
