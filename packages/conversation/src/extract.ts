/** What an answer of the model asks for. */
export interface Extraction {
  /** The commands of its `CMD:` lines, in order. */
  readonly commands: readonly string[];
  readonly goalLine: GoalLine | null;
}

export type GoalLine =
  | { readonly kind: 'complete'; readonly summary: string | null }
  | { readonly kind: 'blocked'; readonly reason: string | null };

/** Commands taken from one answer; more are left out, and the model is told nothing it did not ask for ran. */
export const MAX_COMMANDS_PER_ANSWER = 32;

const COMMAND = /^\s*CMD:[ \t]*(\S.*)$/;
const COMPLETE = /^\s*GOAL:\s*complete\b[.:!\s-]*(.*)$/i;
const BLOCKED = /^\s*GOAL:\s*blocked\b[.:!\s-]*(.*)$/i;

/**
 * Reads the `CMD:` lines and the first `GOAL:` line out of what the model itself wrote. What a command printed never
 * comes through here, so its lines can never be actions. Source: Phase 3 manifest, sections 4 and 8.
 */
export function extract(text: string): Extraction {
  const commands: string[] = [];
  let goalLine: GoalLine | null = null;
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const command = COMMAND.exec(line)?.[1];
    if (command !== undefined) {
      if (commands.length < MAX_COMMANDS_PER_ANSWER) commands.push(command.trimEnd());
      continue;
    }
    goalLine ??= readGoalLine(line, lines.slice(index + 1));
  }
  return { commands, goalLine };
}

function readGoalLine(line: string, following: readonly string[]): GoalLine | null {
  const blocked = BLOCKED.exec(line);
  if (blocked !== null) return { kind: 'blocked', reason: blocked[1]?.trim() || firstWords(following) };
  const complete = COMPLETE.exec(line);
  if (complete !== null) {
    const summary = [complete[1] ?? '', ...following.filter((next) => !COMMAND.test(next))].join('\n').trim();
    return { kind: 'complete', summary: summary === '' ? null : summary };
  }
  return null;
}

function firstWords(lines: readonly string[]): string | null {
  return lines.find((line) => line.trim() !== '' && !COMMAND.test(line))?.trim() ?? null;
}
