import { readNeed, type Need } from '@aish/contracts/needs';
import { openPart } from './shell-complete.js';

/** What an answer of the model asks for. */
export interface Extraction {
  /** The commands of its `CMD:` lines, in order. */
  readonly commands: readonly string[];
  readonly goalLine: GoalLine | null;
}

export type GoalLine =
  | { readonly kind: 'complete'; readonly summary: string | null }
  | { readonly kind: 'blocked'; readonly reason: string | null }
  /** The model proposes the command that proves the goal, and a person is asked about it. */
  | { readonly kind: 'verify'; readonly command: string }
  /** The model says how it will check its work; nobody is asked until that runs. */
  | { readonly kind: 'check'; readonly command: string }
  /** The model needs to know something that only a person can say. */
  | { readonly kind: 'ask'; readonly question: string }
  /** The model needs to reach more than it does. */
  | { readonly kind: 'need'; readonly need: Need };

/** Commands taken from one answer; more are left out, and the model is told nothing it did not ask for ran. */
export const MAX_COMMANDS_PER_ANSWER = 32;
/** Lines that one command may take, and characters; one that is not complete by then is its first line alone. */
export const MAX_COMMAND_LINES = 2_000;
const MAX_COMMAND_CHARS = 32_768;
/** Characters of a question to a person; what follows is left out. */
const MAX_QUESTION_CHARS = 4_000;

export const COMMAND = /^\s*CMD:[ \t]*(\S.*)$/;
const COMPLETE = /^\s*GOAL:\s*complete\b[.:!\s-]*(.*)$/i;
const BLOCKED = /^\s*GOAL:\s*blocked\b[.:!\s-]*(.*)$/i;
const ASK = /^\s*GOAL:\s*ask\b:?[ \t]*(.*)$/i;
const NEED = /^\s*NEED:[ \t]*(\S.*)$/;
const PROOF = /^\s*GOAL:\s*(verify|check)\b:?[ \t]*(\S.*)$/i;

/**
 * Reads the `CMD:` lines and the first `GOAL:` or `NEED:` line out of what the model itself wrote. A command whose shell text is
 * not complete (an open here-document, quote or trailing backslash) takes the lines that follow, until it is. What a
 * command printed never comes through here, so its lines can never be actions. Source: Phase 3 manifest, sections 4
 * and 8.
 */
export function extract(text: string): Extraction {
  const { commands, rest } = split(text);
  let goalLine: GoalLine | null = null;
  let goalAt = 0;
  for (const [at, line] of rest.entries()) {
    const read: GoalLine | null = goalLine === null || goalLine.kind === 'check' ? readGoalLine(line) : null;
    // How it will be checked can be said again; a need that nobody hears of cannot be met.
    if (read !== null && (goalLine === null || read.kind === 'need')) {
      goalLine = read;
      goalAt = at + 1;
    }
  }
  // Words that came with commands were written before their results.
  const before = commands.length === 0 ? rest.slice(0, Math.max(0, goalAt - 1)) : [];
  const whole = goalLine === null ? null : withWords(goalLine, rest.slice(goalAt), before);
  // Nothing is asked: nobody could answer it.
  return { commands, goalLine: whole?.kind === 'ask' && whole.question === '' ? null : whole };
}

/** The commands of an answer, and its other lines as they stand. Pure. */
export function splitCommands(text: string): { readonly commands: readonly string[]; readonly rest: string } {
  const { commands, rest } = split(text);
  return { commands, rest: rest.join('\n') };
}

function split(text: string): { readonly commands: readonly string[]; readonly rest: readonly string[] } {
  const commands: string[] = [];
  const rest: string[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const begun = withoutMarks(COMMAND.exec(line)?.[1]);
    if (begun === undefined) {
      rest.push(line);
      continue;
    }
    const { command, taken } = complete(begun, lines, at);
    if (commands.length < MAX_COMMANDS_PER_ANSWER) commands.push(command);
    at += taken;
  }
  return { commands, rest };
}

/** A command that is all in backquotes is shown as code: nobody wants what it prints to be run. A prompt is no command. */
function withoutMarks(command: string | undefined): string | undefined {
  return (/^`([^`]+)`\s*$/.exec(command ?? '')?.[1] ?? command)?.replace(/^\$[ \t]+(?=\S)/, '');
}

/** Whether a command is still open where these lines end, so that what follows is part of it. */
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

/** The command that begins with `begun`, and how many of the lines after it are part of it. */
function complete(begun: string, lines: readonly string[], at: number): { command: string; taken: number } {
  let command = begun;
  for (let taken = 0; ; taken += 1) {
    if (openPart(command) === null) return { command: command.trimEnd(), taken };
    const next = lines[at + taken + 1];
    const isTooLong = taken >= MAX_COMMAND_LINES || command.length > MAX_COMMAND_CHARS;
    // Never complete: as it stands, so that its fault is seen where it is, and nothing else is swallowed.
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
  const [, kind = '', command] = PROOF.exec(line) ?? [];
  if (command === undefined) return null;
  return { kind: kind.toLowerCase() === 'check' ? 'check' : 'verify', command: command.trimEnd() };
}

/** `Goal: complete the backup` says what is to be done, not that it is. */
function isHeading(line: string): boolean {
  return /^\s*goal:\s*complete\s+\w/i.test(line) && !/^\s*GOAL:/.test(line);
}

/** What nobody can give by its name is for a person to read. */
function needed(text: string): GoalLine {
  const need = readNeed(text);
  return need === null ? { kind: 'ask', question: `I need ${text.trim()}` } : { kind: 'need', need };
}

function withWords(goalLine: GoalLine, following: readonly string[], before: readonly string[]): GoalLine {
  switch (goalLine.kind) {
    case 'blocked': {
      const reason = goalLine.reason || firstWords(following);
      // It needs to know something: that is a question, and no end.
      return reason?.endsWith('?') === true ? { kind: 'ask', question: reason } : { kind: 'blocked', reason };
    }
    case 'complete': {
      const summary = words(goalLine.summary ?? '', following) || words('', before);
      return { kind: 'complete', summary: summary === '' ? null : summary };
    }
    case 'ask':
      return { kind: 'ask', question: joined(goalLine.question, following).slice(0, MAX_QUESTION_CHARS) };
    case 'verify':
    case 'check':
    case 'need':
      return goalLine;
  }
}

function joined(first: string, following: readonly string[]): string {
  return [first, ...following].join('\n').trim();
}

/** An answer in which something is said: the fence around a model's lines is nothing. */
function words(first: string, following: readonly string[]): string {
  const text = joined(first, following);
  return /[\p{L}\p{N}]/u.test(text.replaceAll(/^[ \t]*(?:```|~~~).*$/gm, '')) ? text : '';
}

function firstWords(lines: readonly string[]): string | null {
  return lines.find((line) => line.trim() !== '')?.trim() ?? null;
}
