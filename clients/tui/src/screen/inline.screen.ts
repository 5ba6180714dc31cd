import type { ReadStream } from 'node:tty';
import blessed, { type BlessedProgram } from 'blessed';
import { paletteFor, toAnsi, type Palette } from '@aish/views/text/palette';
import { lineWidth } from '@aish/views/text/fit';
import type { Model } from '../model.js';
import type { Story } from '../timeline/story.js';
import { frameOf, type Frame } from '../views/frame.view.js';
import { footOf, inMargin, isCovered } from '../views/inline.view.js';
import type { ScreenOptions } from './blessed.screen.js';
import { copySequence, FRAME_BEGIN, FRAME_END } from './terminal.js';
import { TerminalInput } from './terminal.input.js';

/** The rows that were drawn last, where the cursor is in them, and the width that the terminal had. */
interface Drawn {
  readonly rows: readonly string[];
  readonly widths: readonly number[];
  readonly cursor: { readonly row: number; readonly col: number };
  readonly isCursorShown: boolean;
  readonly cols: number;
}

const NOTHING: Drawn = { rows: [], widths: [], cursor: { row: 0, col: 0 }, isCursorShown: true, cols: 0 };
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';
const ERASE_ROW = '\u001b[K';
const HOME = '\u001b[H';
// A list or a page that the person opens covers the screen and then gives it back.
const COVER = '\u001b[?1049h';
const UNCOVER = '\u001b[?1049l';

/**
 * Draws below the text that is already on the terminal. It prints the story once, so the terminal keeps it, and draws
 * only the rows below it again. All movements are relative, because nobody knows where on the screen these rows are.
 */
export class InlineScreen {
  private readonly program: BlessedProgram;
  private readonly input: TerminalInput;
  private readonly palette: Palette;
  private foot = NOTHING;
  /** The rows of the cover; null without a cover. */
  private cover: Drawn | null = null;
  private model: Model | null = null;
  private isClosed = false;
  /** Returns from another program; null while this one has the terminal. */
  private back: (() => void) | null = null;
  private readonly restore = (): void => this.close();

  constructor(
    private readonly options: ScreenOptions,
    private readonly story: Story,
  ) {
    process.once('exit', this.restore);
    this.program = blessed.program({ terminal: options.terminal.name });
    this.palette = paletteFor(options.hasColour ? 16 : 0);
    this.input = new TerminalInput(this.program, { ...options, hasMouse: false }); // the terminal scrolls and selects
    this.program.on('resize', () => options.onResize(this.cols, this.rows));
    this.input.begin();
  }

  get cols(): number {
    return this.program.cols;
  }

  get rows(): number {
    return this.program.rows;
  }

  paint(model: Model): void {
    if (this.isClosed || this.back !== null) return;
    this.model = model;
    if (!isCovered(model)) return this.print(model, false);
    const before = this.cover;
    const after = this.drawnOf(frameOf(model));
    const isSame = before !== null && before.cols === after.cols && before.rows.length === after.rows.length;
    this.cover = after;
    const start = `${before === null ? COVER : ''}${HOME}${isSame ? '' : ERASE_BELOW}`;
    this.write(`${start}${changes(isSame ? before : NOTHING, after)}`, after);
  }

  /** Prints what is new, and draws the rows below it. @param isOver whether nothing is drawn below it any more */
  private print(model: Model, isOver: boolean): void {
    const uncover = this.cover === null ? '' : UNCOVER;
    this.cover = null;
    const { done, live } = this.story.next(model, isOver);
    const printed = inMargin(done, this.cols)
      .map((each) => `${toAnsi(each, this.palette)}\r\n`)
      .join('');
    const before = this.foot;
    const after = isOver ? NOTHING : this.drawnOf(footOf(model, live));
    this.foot = after;
    const isWhole = printed !== '' || before.cols !== after.cols || before.rows.length > after.rows.length;
    const start = `${uncover}${toTop(before, this.cols)}${isWhole ? erased(before, this.cols) + printed : ''}`;
    this.write(`${start}${changes(isWhole ? NOTHING : before, after)}`, after);
  }

  /** Makes the next frame draw everything again. */
  forget(): void {
    this.foot = { ...this.foot, cols: 0 };
    if (this.cover !== null) this.cover = { ...this.cover, cols: 0 };
  }

  /** Copies a text to the clipboard of the person's terminal (OSC 52). */
  copy(text: string): void {
    if (!this.isClosed) this.program.write(copySequence(text));
  }

  /** Lends the terminal to another program. @returns takes it back; safe to repeat */
  leave(): () => void {
    const input = this.program.input as ReadStream;
    this.input.end();
    const erase = toTop(this.foot, this.cols) + erased(this.foot, this.cols);
    this.write(`${this.cover === null ? '' : UNCOVER}${erase}`, NOTHING);
    this.cover = null;
    this.foot = NOTHING;
    // Blessed can pause, too, but then it moves the cursor to the first row.
    input.setRawMode(false);
    input.pause();
    const back = (): void => {
      if (this.back !== back) return;
      this.back = null;
      input.setRawMode(true);
      input.resume();
      this.input.begin();
    };
    this.back = back;
    return back;
  }

  /** Prints the rest of the story and restores the terminal. The call can be repeated safely. */
  close(): void {
    if (this.isClosed) return;
    process.removeListener('exit', this.restore);
    try {
      this.back?.();
      if (this.model !== null) this.print(this.model, true);
    } finally {
      this.isClosed = true;
      this.input.close();
      this.program.destroy();
    }
  }

  private drawnOf({ lines, cursor }: Frame): Drawn {
    return {
      rows: lines.map((each) => toAnsi(each, this.palette)),
      widths: lines.map(lineWidth),
      cursor: cursor ?? { row: Math.max(0, lines.length - 1), col: 0 },
      isCursorShown: cursor !== null,
      cols: this.cols,
    };
  }

  private write(text: string, { isCursorShown }: Drawn): void {
    const { hasBracketedPaste: isModern } = this.options.terminal;
    const frame = `${HIDE_CURSOR}${text}${isCursorShown ? SHOW_CURSOR : ''}`;
    this.program.write(isModern ? `${FRAME_BEGIN}${frame}${FRAME_END}` : frame);
  }
}

/** Returns the movement from the cursor to the first row. */
function toTop({ widths, cursor, ...drawn }: Drawn, cols: number): string {
  const above = rowsOf({ ...drawn, widths: widths.slice(0, cursor.row) }, cols);
  return `\r${up(above + (drawn.cols === cols ? 0 : Math.floor(cursor.col / cols)))}`;
}

/** Returns how to erase the rows, from the first one on, and the movement back. */
function erased(drawn: Drawn, cols: number): string {
  const count = rowsOf(drawn, cols);
  if (count === 0) return '';
  // Some terminals keep what they erase if it is the whole screen, so each row is erased alone.
  return `${`${ERASE_ROW}\r\n`.repeat(count - 1)}${ERASE_BELOW}${up(count - 1)}`;
}

/** Returns how many rows of the terminal these rows take. A terminal that became narrower has wrapped them. */
function rowsOf({ widths, cols: before }: Pick<Drawn, 'widths' | 'cols'>, cols: number): number {
  if (before === cols) return widths.length;
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / cols)), 0);
}

const up = (count: number): string => (count === 0 ? '' : `\u001b[${count}A`);

/** Returns the rows that differ, from the first row on, and the movement to the place of the cursor. */
function changes(before: Drawn, { rows, cursor }: Drawn): string {
  const written = rows.map((row, at) => (row === before.rows[at] ? '' : `${ERASE_ROW}${row}`)).join('\r\n');
  const below = Math.max(0, rows.length - 1 - cursor.row);
  return `${written}\r${up(below)}${cursor.col === 0 ? '' : `\u001b[${cursor.col}C`}`;
}
