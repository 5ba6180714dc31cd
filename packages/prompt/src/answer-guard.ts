import { COMMAND, MAX_COMMAND_LINES } from './extract.js';
import { openPart, type Open } from './shell-complete.js';
import { closedThoughts, opensThoughts } from './tidy.js';
import type { CutAnswer } from './turns.js';

/** Beginnings of lines that only aish writes: the head of a result, and a notice. */
const HEADS = ['[exec]', '[aish]'];
/** The head of a result from `outputTurn`. It never occurs by chance. */
const WHOLE_HEAD = '[exec] $ ';
/** Beginnings of the line after the head of a result. */
const RESULTS = ['|', 'exit code ', '(no output)'];
const GOAL_LINE = /^\s*GOAL:/;

/**
 * A block counts as endlessly repeated if its copies fill this many characters of an answer, and there are at least
 * this many copies.
 */
const REPEATED_MIN_CHARS = 360;
const REPEATED_MIN_TIMES = 3;
/** A block of at least this many characters is never repeated by chance. */
const LONG_BLOCK_CHARS = 160;
/** The factor by which repetitions may be longer in text that a command writes into a file. */
export const IN_COMMAND_FACTOR = 5;
/** Maximum length of a repeated block in characters. */
const BLOCK_MAX_CHARS = 600;
/** The number of characters after which repetition is checked again. */
const LOOK_EVERY_CHARS = 32;

/**
 * Reads an answer as it arrives and finds where it must end: at the first line that only aish writes (nothing has run
 * yet, so the result is invented), or where it repeats itself. A command's here-document is part of the command,
 * because a model may write anything into a file.
 */
export class AnswerGuard {
  /** Why the text ends here; null while it continues. */
  cut: Extract<CutAnswer, 'invented' | 'repeats'> | null = null;
  private readonly lines: string[] = [];
  /** The current line, and the part of it that was already shown. */
  private line = '';
  private shownChars = 0;
  /** The lines of an incomplete command up to now. */
  private command: string | null = null;
  private commandLines = 0;
  private open: Open | null = null;
  private hasAction = false;
  /** Whether the last non-empty line was an action. */
  private isAfterAction = false;
  /** The state of thoughts at the beginning of the text. They contain no actions. */
  private thoughts: 'may come' | 'open' | 'over' = 'may come';
  private readonly repetition = new Repetition();

  /** The part of the answer that counts. */
  get text(): string {
    return this.lines.join('') + this.line;
  }

  /** @returns the new text to show; empty once `cut` is set */
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

  /** Whether the answer ended inside an incomplete command. */
  isInCommand = false;

  /** Whether the answer ended in a here-document without its delimiter. */
  isInHereDocument = false;

  /**
   * Call this when the answer has ended.
   *
   * @returns the part of its last line that was held back.
   */
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
    const answerPart = this.afterThoughts(line);
    if (answerPart !== null) this.follow(answerPart);
    this.lines.push(this.line);
    this.line = '';
    this.shownChars = 0;
    return shown;
  }

  /** Returns the part of a line after the thoughts; null if all of it is thoughts. */
  private afterThoughts(line: string): string | null {
    if (this.thoughts === 'may come' && line.trim() !== '') this.thoughts = opensThoughts(line) ? 'open' : 'over';
    if (this.thoughts !== 'open') return line;
    const end = closedThoughts(line);
    if (end === null) return null;
    this.thoughts = 'over';
    return line.slice(end);
  }

  /** Tracks commands, which may take several lines. */
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

  /** Whether the current line may become one of aish's lines, and so must not be shown yet. */
  private mayBeAish(): boolean {
    const { line } = this;
    return this.startsLikeAish(line, (marker) => marker.startsWith(line) || line.startsWith(marker));
  }

  private startsLikeAish(line: string, fits: (marker: string) => boolean): boolean {
    if (line === '' || this.open === 'here-document' || this.thoughts === 'open') return false;
    // A quote that is never closed would otherwise include everything after it.
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

/** Detects while a text arrives that it repeats itself. */
export class Repetition {
  private tail = '';
  private unlookedChars = 0;

  /**
   * @param factor how much longer than in an answer the repetition may be.
   * @returns the length of the repeated block.
   */
  add(text: string, factor = 1): number | null {
    this.tail = (this.tail + text).slice(-2 * IN_COMMAND_FACTOR * BLOCK_MAX_CHARS);
    this.unlookedChars += text.length;
    if (this.unlookedChars < LOOK_EVERY_CHARS) return null;
    this.unlookedChars = 0;
    return repeatedBlock(this.tail, factor);
  }
}

/** Returns the length of the block that is repeated at the end of a text; null if there is none. */
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

/** Returns the text with its last block only once. */
function beforeRepeats(text: string, block: number): string {
  let end = text.length;
  while (end > block && text[end - 1] === text[end - 1 - block]) end -= 1;
  return text.slice(0, end);
}
