import { readNeed, type Need } from '@aish/contracts/needs';
import { openPart } from './shell-complete.js';

/** The requests in a model's answer. */
export interface Extraction {
  /** The commands of the `CMD:` lines, in order. */
  readonly commands: readonly string[];
  readonly goalLine: GoalLine | null;
}

export type GoalLine =
  | { readonly kind: 'complete'; readonly summary: string | null }
  | { readonly kind: 'blocked'; readonly reason: string | null }
  /** The model proposes the command that proves the goal, and a person is asked about it. */
  | { readonly kind: 'verify'; readonly command: string }
  /** The model says how it will check its work. Nobody is asked until the check runs. */
  | { readonly kind: 'check'; readonly command: string }
  /** The model proposes a plan, which a person accepts before anything changes. */
  | { readonly kind: 'plan'; readonly plan: string }
  /** The model has a question that only a person can answer. */
  | { readonly kind: 'ask'; readonly question: string }
  /** The model needs more access. */
  | { readonly kind: 'need'; readonly need: Need };

/** Maximum number of commands from one answer. Further commands are skipped, and the model is not told. */
export const MAX_COMMANDS_PER_ANSWER = 32;
/**
 * Maximum lines and characters of one command. If a command is still incomplete at that point, only its first line
 * counts.
 */
export const MAX_COMMAND_LINES = 2_000;
const MAX_COMMAND_CHARS = 32_768;
/** Maximum characters of a question or a plan for a person. The rest is cut off. */
const MAX_QUESTION_CHARS = 4_000;

export const COMMAND = /^\s*CMD:[ \t]*(\S.*)$/;
const COMPLETE = /^\s*GOAL:\s*complete\b[.:!\s-]*(.*)$/i;
const BLOCKED = /^\s*GOAL:\s*blocked\b[.:!\s-]*(.*)$/i;
const ASK = /^\s*GOAL:\s*ask\b:?[ \t]*(.*)$/i;
const PLAN = /^\s*GOAL:\s*plan\b:?[ \t]*(.*)$/i;
const NEED = /^\s*NEED:[ \t]*(\S.*)$/;
const PROOF = /^\s*GOAL:\s*(verify|check)\b:?[ \t]*(\S.*)$/i;

/**
 * Reads the `CMD:` lines and the first `GOAL:` or `NEED:` line of the model's own text. A command with incomplete shell
 * text (an open here-document, quote or trailing backslash) includes the following lines until it is complete. Output
 * of commands is never passed to this function, so its lines can never be actions.
 */
export function extract(text: string): Extraction {
  const { commands, rest, examples } = split(text);
  let goalLine: GoalLine | null = null;
  let goalAt = 0;
  for (const [at, line] of rest.entries()) {
    const isOpen: boolean = (goalLine === null || goalLine.kind === 'check') && !examples.has(at);
    const read: GoalLine | null = isOpen ? readGoalLine(line) : null;
    // The model can repeat how it will check its work, but a need that was not read cannot be granted.
    if (read !== null && (goalLine === null || read.kind === 'need')) {
      goalLine = read;
      goalAt = at + 1;
    }
  }
  // Text before commands in the same answer was written before their results.
  const before = commands.length === 0 ? rest.slice(0, Math.max(0, goalAt - 1)) : [];
  const whole = goalLine === null ? null : withWords(goalLine, rest.slice(goalAt), before);
  // Nobody can answer a question or accept a plan without words.
  const isEmpty = (whole?.kind === 'ask' && whole.question === '') || (whole?.kind === 'plan' && whole.plan === '');
  return { commands, goalLine: isEmpty ? null : whole };
}

/** Splits an answer into its commands and its other lines, which stay unchanged. Pure. */
export function splitCommands(text: string): { readonly commands: readonly string[]; readonly rest: string } {
  const { commands, rest } = split(text);
  return { commands, rest: rest.join('\n') };
}

interface Parts {
  readonly commands: readonly string[];
  readonly rest: readonly string[];
  /**
   * Indexes in `rest` of fenced lines, if there is a command outside of fences. These lines are examples of an end, not
   * an end.
   */
  readonly examples: ReadonlySet<number>;
}

function split(text: string): Parts {
  const commands: string[] = [];
  const rest: string[] = [];
  const fenced = new Set<number>();
  let isFenced = false;
  let isPlain = false;
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const begun = withoutMarks(COMMAND.exec(line)?.[1]);
    if (begun === undefined) {
      if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
      else if (isFenced) fenced.add(rest.length);
      rest.push(line);
      continue;
    }
    if (!isFenced) isPlain = true;
    const { command, taken } = complete(begun, lines, at);
    if (commands.length < MAX_COMMANDS_PER_ANSWER) commands.push(command);
    at += taken;
  }
  return { commands, rest, examples: isPlain ? fenced : new Set() };
}

/**
 * Removes marks. A command that is completely in backquotes is shown as code, because backquotes would run its output.
 * A prompt is not part of the command.
 */
function withoutMarks(command: string | undefined): string | undefined {
  return (/^`([^`]+)`\s*$/.exec(command ?? '')?.[1] ?? command)?.replace(/^\$[ \t]+(?=\S)/, '');
}

/** Whether a command is still incomplete after these lines, so that the next line is part of it. */
export function endsInCommand(lines: readonly string[]): boolean {
  let command: string | null = null;
  for (const line of lines) {
    const begun = COMMAND.exec(line)?.[1];
    if (command !== null) command += `\n${line}`;
    else if (begun !== undefined) command = begun;
    if (command !== null && openPart(command) === null) command = null;
  }
  return command !== null;
}

/** Returns the command that begins with `begun`, and how many of the following lines are part of it. */
function complete(begun: string, lines: readonly string[], at: number): { command: string; taken: number } {
  let command = begun;
  for (let taken = 0; ; taken += 1) {
    if (openPart(command) === null) return { command: command.trimEnd(), taken };
    const next = lines[at + taken + 1];
    const isTooLong = taken >= MAX_COMMAND_LINES || command.length > MAX_COMMAND_CHARS;
    // The command is never completed, so only its first line is taken. The shell then reports the error, and no other
    // line is swallowed.
    if (next === undefined || isTooLong) return { command: begun.trimEnd(), taken: 0 };
    command += `\n${next}`;
  }
}

function readGoalLine(line: string): GoalLine | null {
  const need = NEED.exec(line)?.[1];
  if (need !== undefined) return needed(need);
  const blocked = BLOCKED.exec(line);
  if (blocked !== null) return { kind: 'blocked', reason: blocked[1]?.trim() ?? '' };
  const done = isHeading(line) ? null : COMPLETE.exec(line);
  if (done !== null) return { kind: 'complete', summary: done[1] ?? '' };
  const ask = ASK.exec(line)?.[1];
  if (ask !== undefined) return { kind: 'ask', question: ask };
  const plan = PLAN.exec(line)?.[1];
  if (plan !== undefined) return { kind: 'plan', plan };
  const [, kind = '', command] = PROOF.exec(line) ?? [];
  if (command === undefined) return null;
  return { kind: kind.toLowerCase() === 'check' ? 'check' : 'verify', command: command.trimEnd() };
}

/** Whether a line only describes a task. `Goal: complete the backup` says what should be done, not that it is done. */
function isHeading(line: string): boolean {
  return /^\s*goal:\s*complete\s+\w/i.test(line) && !/^\s*GOAL:/.test(line);
}

/** Reads a need. If it names nothing that can be given, it becomes a question to a person. */
function needed(text: string): GoalLine {
  const need = readNeed(text);
  return need === null ? { kind: 'ask', question: `I need ${text.trim()}` } : { kind: 'need', need };
}

function withWords(goalLine: GoalLine, following: readonly string[], before: readonly string[]): GoalLine {
  switch (goalLine.kind) {
    case 'blocked': {
      const reason = goalLine.reason || firstWords(following);
      // The model needs an answer, so this is a question and not an end.
      return reason?.endsWith('?') === true ? { kind: 'ask', question: reason } : { kind: 'blocked', reason };
    }
    case 'complete': {
      const summary = words(goalLine.summary ?? '', following) || words('', before);
      return { kind: 'complete', summary: summary === '' ? null : summary };
    }
    case 'ask':
      return { kind: 'ask', question: joined(goalLine.question, following).slice(0, MAX_QUESTION_CHARS) };
    case 'plan':
      return { kind: 'plan', plan: joined(goalLine.plan, following).slice(0, MAX_QUESTION_CHARS) };
    case 'verify':
    case 'check':
    case 'need':
      return goalLine;
  }
}

function joined(first: string, following: readonly string[]): string {
  return [first, ...following].join('\n').trim();
}

/** Returns the text of an answer, without a fence around it. */
function words(first: string, following: readonly string[]): string {
  const text = joined(first, following);
  return /[\p{L}\p{N}]/u.test(text.replaceAll(/^[ \t]*(?:```|~~~).*$/gm, '')) ? text : '';
}

function firstWords(lines: readonly string[]): string | null {
  return lines.find((line) => line.trim() !== '')?.trim() ?? null;
}
