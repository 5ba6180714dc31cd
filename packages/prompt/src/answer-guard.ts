import { COMMAND, MAX_COMMAND_LINES } from './extract.js';
import { openPart, type Open } from './shell-complete.js';
import { closedThoughts, opensThoughts } from './tidy.js';
import type { CutAnswer } from './turns.js';

/** What aish alone writes at the start of a line: the head of a result, and a notice. */
const HEADS = ['[exec]', '[aish]'];
/** The head of a result as `outputTurn` writes it, which nobody writes by chance. */
const WHOLE_HEAD = '[exec] $ ';
/** What comes under the head of a result. */
const RESULTS = ['|', 'exit code ', '(no output)'];
const GOAL_LINE = /^\s*GOAL:/;

/** A block that fills this much of an answer with nothing but itself, this many times, goes on for ever. */
const REPEATED_MIN_CHARS = 360;
const REPEATED_MIN_TIMES = 3;
/** Nobody says a longer block twice in a row by chance. Characters. */
const LONG_BLOCK_CHARS = 160;
/** What a command writes into a file may repeat itself for longer. */
export const IN_COMMAND_FACTOR = 5;
/** The longest block that is looked for, characters. */
const BLOCK_MAX_CHARS = 600;
/** How often repetition is looked for, characters. */
const LOOK_EVERY_CHARS = 32;

/**
 * Reads an answer as it comes and says where it stops being one: at the first line that only aish writes (nothing has run
 * yet, so its result is invented), or where it says the same again and again. A command's here-document is part of the
 * command: what a model writes into a file may look like anything.
 */
export class AnswerGuard {
  /** Why the text ends here; null while it goes on. */
  cut: Extract<CutAnswer, 'invented' | 'repeats'> | null = null;
  private readonly lines: string[] = [];
  /** The line that is being written, and how much of it was shown. */
  private line = '';
  private shownChars = 0;
  /** Of a command that is not complete yet, what there is of it. */
  private command: string | null = null;
  private commandLines = 0;
  private open: Open | null = null;
  private hasAction = false;
  /** Whether the last line with words was an action. */
  private isAfterAction = false;
  /** Thoughts that stand in the text, at its beginning: what they say is nothing that the model does. */
  private thoughts: 'may come' | 'open' | 'over' = 'may come';
  private readonly repetition = new Repetition();

  /** All of the answer that counts. */
  get text(): string {
    return this.lines.join('') + this.line;
  }

  /** @returns what of it may be shown now; once `cut` is set nothing more comes. */
  add(text: string): string {
    let shown = '';
    for (const piece of text.split(/(?<=\n)/)) {
      if (this.cut !== null) return shown;
      this.line += piece;
      if (piece.endsWith('\n')) shown += this.endLine();
      else if (!this.mayBeAish()) shown += this.show();
    }
    if (this.cut === null) this.lookBack(text);
    return shown;
  }

  /** Whether the answer ended inside a command, of which more was to come. */
  isInCommand = false;

  /** Whether it ended in a here-document whose delimiter never came. */
  isInHereDocument = false;

  /** The answer has ended. @returns what was kept back of its last line. */
  end(): string {
    this.isInCommand = this.command !== null || (this.thoughts !== 'open' && COMMAND.test(this.line));
    const shown = this.cut === null ? this.endLine() : '';
    this.isInHereDocument = this.open === 'here-document';
    return shown;
  }

  private endLine(): string {
    const line = this.line.replace(/\r?\n$/, '');
    if (this.startsLikeAish(line, (marker) => line.startsWith(marker))) {
      this.cut = 'invented';
      this.line = '';
      return '';
    }
    const shown = this.show();
    const said = this.afterThoughts(line);
    if (said !== null) this.follow(said);
    this.lines.push(this.line);
    this.line = '';
    this.shownChars = 0;
    return shown;
  }

  /** What of a line is no thought; null where all of it is. */
  private afterThoughts(line: string): string | null {
    if (this.thoughts === 'may come' && line.trim() !== '') this.thoughts = opensThoughts(line) ? 'open' : 'over';
    if (this.thoughts !== 'open') return line;
    const end = closedThoughts(line);
    if (end === null) return null;
    this.thoughts = 'over';
    return line.slice(end);
  }

  /** Keeps account of commands, which may take several lines. */
  private follow(line: string): void {
    if (this.command === null) {
      const begun = COMMAND.exec(line)?.[1];
      if (begun === undefined && !GOAL_LINE.test(line)) {
        if (line.trim() !== '') this.isAfterAction = false;
        return;
      }
      this.hasAction = true;
      this.isAfterAction = true;
      this.command = begun ?? null;
      this.commandLines = 0;
    } else this.command += `\n${line}`;
    this.commandLines += 1;
    this.open = this.command === null || this.commandLines > MAX_COMMAND_LINES ? null : openPart(this.command);
    if (this.open === null) this.command = null;
  }

  /** Whether the line so far may become one of aish's: then it is not shown yet. */
  private mayBeAish(): boolean {
    const { line } = this;
    return this.startsLikeAish(line, (marker) => marker.startsWith(line) || line.startsWith(marker));
  }

  private startsLikeAish(line: string, fits: (marker: string) => boolean): boolean {
    if (line === '' || this.open === 'here-document' || this.thoughts === 'open') return false;
    // A quote that is never closed would swallow everything.
    if (this.command !== null) return fits(WHOLE_HEAD);
    return (this.hasAction && HEADS.some(fits)) || fits(WHOLE_HEAD) || (this.isAfterAction && RESULTS.some(fits));
  }

  private show(): string {
    const rest = this.line.slice(this.shownChars);
    this.shownChars = this.line.length;
    return rest;
  }

  private lookBack(text: string): void {
    const block = this.repetition.add(text, this.command === null ? 1 : IN_COMMAND_FACTOR);
    if (block === null) return;
    this.cut = 'repeats';
    const once = beforeRepeats(this.text, block);
    this.lines.splice(0, this.lines.length, once);
    this.line = '';
  }
}

/** Notices a text that says the same again and again, while it comes. */
export class Repetition {
  private tail = '';
  private unlookedChars = 0;

  /** @param factor how much longer than in an answer something may repeat itself. @returns the length of what repeats itself. */
  add(text: string, factor = 1): number | null {
    this.tail = (this.tail + text).slice(-2 * IN_COMMAND_FACTOR * BLOCK_MAX_CHARS);
    this.unlookedChars += text.length;
    if (this.unlookedChars < LOOK_EVERY_CHARS) return null;
    this.unlookedChars = 0;
    return repeatedBlock(this.tail, factor);
  }
}

/** The length of the block that the end of a text repeats without end; null where there is none. */
function repeatedBlock(text: string, factor: number): number | null {
  for (let block = 1; block <= BLOCK_MAX_CHARS; block += 1) {
    const times = block > LONG_BLOCK_CHARS ? 2 : REPEATED_MIN_TIMES;
    const span = factor * Math.max(REPEATED_MIN_CHARS, block * times);
    if (span > text.length) continue;
    const from = text.length - span + block;
    let at = text.length - 1;
    while (at >= from && text[at] === text[at - block]) at -= 1;
    if (at < from) return block;
  }
  return null;
}

/** The text with its last block once. */
function beforeRepeats(text: string, block: number): string {
  let end = text.length;
  while (end > block && text[end - 1] === text[end - 1 - block]) end -= 1;
  return text.slice(0, end);
}
