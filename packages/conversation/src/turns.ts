import type { RunOutcome } from '@aish/contracts';

/** Characters of a command's output that the model is shown; the record keeps more. */
export const OUTPUT_SHOWN_MAX_CHARS = 8_000;

/**
 * The turn that tells the model what a command did. Every line it printed is prefixed with `| `, so that no output can
 * pass for a turn, a verdict or a `CMD:` line. Source: architecture, "Failure rules".
 */
export function outputTurn(command: string, outcome: RunOutcome): string {
  const { text, omittedChars } = cutMiddle(outcome.output, OUTPUT_SHOWN_MAX_CHARS);
  const left = outcome.omittedBytes + omittedChars;
  const lines =
    text === ''
      ? ['(no output)']
      : text
          .replace(/\r?\n$/, '')
          .split(/\r?\n|\r/)
          .map((line) => `| ${line}`);
  const note = left > 0 ? [`(${left} bytes of output left out in the middle)`] : [];
  return [`[exec] $ ${command}`, howItEnded(outcome), ...lines, ...note].join('\n');
}

function howItEnded(outcome: RunOutcome): string {
  if (outcome.timedOut) return 'killed: it ran into the time limit';
  if (outcome.cancelled) return 'killed: it was cancelled';
  if (outcome.outOfMemory) return 'killed: out of memory';
  if (outcome.exitCode === null) return 'ended without an exit code';
  return outcome.signal === null
    ? `exit code ${outcome.exitCode}`
    : `exit code ${outcome.exitCode} (${outcome.signal})`;
}

/** Source: Phase 3 manifest, section 8: the words that the system prompt promises. */
export const approvedTurn = '[aish] action approved';

/** @param message what the person wants the model to know; told as it is. */
export function skippedTurn(command: string, message: string | null): string {
  return message === null
    ? `[aish] action skipped by user: ${command}`
    : `[aish] action skipped by user: ${command}\n${message}`;
}

/** Told when the sandbox will never run a command as it stands. */
export function refusedTurn(command: string, reason: string): string {
  return `[aish] action refused: ${command}\n${reason}`;
}

/** Told when a run was begun and nobody knows how it ended. It is never run again silently. */
export function lostTurn(command: string): string {
  return `[aish] result lost: ${command}\nThe command was started, but its outcome is unknown. It has not been run again. Check what it did before you go on.`;
}

/** The one reminder that a model gets which neither acts nor ends its goal. */
export const nudgeTurn =
  '[aish] Your last answer held no action. Go on with a line "CMD: <command>", or end with a line "GOAL: complete" or "GOAL: blocked" and the reason.';

/** Keeps head and tail; never splits a surrogate pair. */
function cutMiddle(text: string, maxChars: number): { text: string; omittedChars: number } {
  if (text.length <= maxChars) return { text, omittedChars: 0 };
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, isLow(text, half) ? half - 1 : half);
  const from = text.length - half;
  const tail = text.slice(isLow(text, from) ? from + 1 : from);
  return { text: `${head}\n…\n${tail}`, omittedChars: text.length - head.length - tail.length };
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
