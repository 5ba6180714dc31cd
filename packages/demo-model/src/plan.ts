import type { Result } from './conversation.js';

interface PlanStep {
  /** What the model says before it asks for the command. */
  readonly words: string;
  readonly command: string;
  /** What is wrong with a result although its command succeeded. */
  readonly check?: (result: Result) => string | undefined;
}

/** A fixed sequence of commands; the last one destroys something, so that aish halts. */
export interface Plan {
  readonly intent: string;
  readonly steps: readonly PlanStep[];
  /** One line for the end. `isSkipped`: the person did not let the last step run. */
  readonly summary: (resultOf: (command: string) => Result | undefined, isSkipped: boolean) => string;
}
