import blessed from 'blessed';
import { paletteFor } from '@aish/views/text/palette';
import { cellWidth } from '@aish/views/text/width';
import type { Line, Style } from '@aish/views/line';
import type { Model } from '../model.js';
import { frameOf } from '../views/frame.view.js';
import { cellsOf } from './cells.js';
import { copySequence, FRAME_BEGIN, FRAME_END } from './terminal.js';
import { TerminalInput, type InputOptions } from './terminal.input.js';

export interface ScreenOptions extends InputOptions {
  readonly hasColour: boolean;
  readonly onResize: (cols: number, rows: number) => void;
}

/** The grid of cells in blessed's screen. Blessed's types omit it. */
interface Grid {
  readonly lines: (([attributes: number, text: string] | undefined)[] & { dirty: boolean })[];
  readonly dattr: number;
  readonly tput: { readonly colors: number };
  attrCode(code: string, current: number, fallback: number): number;
}

interface Unicode {
  charWidth: (text: string | number, index?: number) => number;
}

/**
 * Draws on the whole terminal as a grid of cells. Only this folder uses blessed: its terminal handling, keys and drawing
 * of differences. Text goes into the grid cell by cell and is never parsed.
 */
export class BlessedScreen {
  private readonly screen: blessed.Widgets.Screen;
  private readonly grid: Grid;
  private readonly attributes: ReadonlyMap<Style, number>;
  /** The content of each row. A resize creates new rows. */
  private readonly painted = new WeakMap<object, Line>();
  private readonly input: TerminalInput;
  private isClosed = false;
  /** Returns from another program; null while this one has the terminal. */
  private back: (() => void) | null = null;
  private readonly restore = (): void => this.close();

  constructor(private readonly options: ScreenOptions) {
    // With this variable, blessed draws box lines as Unicode, because emulators get the alternative character set
    // wrong. Only blessed reads it.
    process.env['NCURSES_NO_UTF8_ACS'] = '1';
    patchWidth((blessed as unknown as { unicode: Unicode }).unicode);
    process.once('exit', this.restore); // runs before blessed's own handler, which does not know pastes
    this.screen = blessed.screen({
      terminal: options.terminal.name,
      smartCSR: true,
      fullUnicode: true,
      forceUnicode: true,
    });
    this.grid = this.screen as unknown as Grid;
    this.attributes = this.attributesOf(options.hasColour ? this.grid.tput.colors : 0);
    const { program } = this.screen;
    this.input = new TerminalInput(program, options);
    program.on('resize', () => options.onResize(this.cols, this.rows));
    this.input.begin();
  }

  get cols(): number {
    return this.screen.program.cols;
  }

  get rows(): number {
    return this.screen.program.rows;
  }

  paint(model: Model): void {
    if (this.isClosed || this.back !== null) return;
    const { lines, cursor } = frameOf(model);
    for (const [y, row] of this.grid.lines.entries()) {
      if (isSame(this.painted.get(row), lines[y])) continue;
      this.painted.set(row, lines[y] ?? []);
      const cells = cellsOf(lines[y] ?? []);
      for (let x = 0; x < row.length; x += 1) {
        const cell = cells[x];
        row[x] = [this.attributes.get(cell?.style ?? 'plain') ?? this.grid.dattr, cell?.text ?? ' '];
      }
      row.dirty = true;
    }
    const { program } = this.screen;
    const { hasBracketedPaste: isModern } = this.options.terminal;
    program.flush();
    if (isModern) program.write(FRAME_BEGIN);
    this.screen.draw(0, this.grid.lines.length - 1);
    if (cursor === null) program.hideCursor();
    else {
      program.cursorPos(cursor.row, cursor.col);
      program.showCursor();
    }
    program.flush();
    if (isModern) program.write(FRAME_END);
  }

  /** Makes the next frame draw everything, over any content of the screen. */
  forget(): void {
    for (const row of this.grid.lines) this.painted.delete(row);
    this.screen.realloc();
  }

  /** Copies a text to the clipboard of the person's terminal, also through ssh and tmux (OSC 52). */
  copy(text: string): void {
    if (!this.isClosed) this.screen.program.write(copySequence(text));
  }

  /** Lends the terminal to another program, with its own screen. @returns takes it back; safe to repeat */
  leave(): () => void {
    const { program } = this.screen;
    this.input.end();
    program.normalBuffer();
    program.showCursor();
    program.flush();
    const resume = program.pause() as () => void; // also drops all output, such as that of a resize
    const back = (): void => {
      if (this.back !== back) return;
      this.back = null;
      resume();
      program.alternateBuffer();
      this.input.begin();
    };
    this.back = back;
    return back;
  }

  /** Restores the terminal. The call can be repeated safely. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    process.removeListener('exit', this.restore);
    this.back?.();
    this.input.close();
    this.screen.destroy();
  }

  private attributesOf(colours: number): ReadonlyMap<Style, number> {
    const { grid } = this;
    return new Map(
      Object.entries(paletteFor(colours)).map(([style, sgr]) => [
        style as Style,
        sgr === '' ? grid.dattr : grid.attrCode(`\u001b[${sgr}m`, grid.dattr, grid.dattr),
      ]),
    );
  }
}

function isSame(before: Line | undefined, after: Line | undefined): boolean {
  if (before === undefined || after === undefined || before.length !== after.length) return false;
  return before.every(({ text, style }, index) => after[index]?.text === text && after[index].style === style);
}

/**
 * Makes blessed count cells as aish does, because its width tables are from 2015. Otherwise lines with newer characters
 * would shift.
 */
function patchWidth(unicode: Unicode): void {
  unicode.charWidth = (text, index = 0) => cellWidth(typeof text === 'number' ? text : (text.codePointAt(index) ?? 0));
}
