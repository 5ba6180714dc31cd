import blessed from 'blessed';
import { paletteFor } from '@aish/views/text/palette';
import { cellWidth } from '@aish/views/text/width';
import type { Line, Style } from '@aish/views/line';
import type { Frame } from '../views/frame.view.js';
import { cellsOf } from './cells.js';
import { joinAltEnter, KeypressReader, mouseOf, type Input, type RawKey, type RawMouse } from './keypress.js';
import type { TerminalKind } from './terminal.js';

export interface ScreenOptions {
  readonly terminal: TerminalKind;
  readonly hasColour: boolean;
  readonly hasMouse: boolean;
  readonly onInput: (input: Input) => void;
  readonly onResize: (cols: number, rows: number) => void;
}

/** The part of blessed's screen that its types leave out: the grid of cells that it compares and draws. */
interface Grid {
  readonly lines: (([attributes: number, text: string] | undefined)[] & { dirty: boolean })[];
  readonly dattr: number;
  readonly tput: { readonly colors: number };
  attrCode(code: string, current: number, fallback: number): number;
}

interface Unicode {
  charWidth: (text: string | number, index?: number) => number;
}

// Presses and the wheel, with coordinates that have no limit; moves and drags are left to the terminal.
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/**
 * The terminal as a grid that frames are painted on. The only place that knows blessed, of which it uses the terminal
 * handling, the keys and the drawing of differences; text goes to the grid cell by cell and is never parsed.
 */
export class BlessedScreen {
  private readonly screen: blessed.Widgets.Screen;
  private readonly grid: Grid;
  private readonly attributes: ReadonlyMap<Style, number>;
  /** The content of each row; rows are made again when the terminal is resized. */
  private readonly painted = new WeakMap<object, Line>();
  private readonly onKey: (char: string | undefined, key: RawKey | undefined) => void;
  private isClosed = false;
  private readonly restore = (): void => this.close();

  constructor(private readonly options: ScreenOptions) {
    // Box lines as Unicode instead of the alternative character set, which emulators get wrong. Read by blessed only.
    process.env['NCURSES_NO_UTF8_ACS'] = '1';
    patchWidth((blessed as unknown as { unicode: Unicode }).unicode);
    process.once('exit', this.restore); // before blessed's own, which does not know of pastes
    this.screen = blessed.screen({
      terminal: options.terminal.name,
      smartCSR: true,
      fullUnicode: true,
      forceUnicode: true,
    });
    this.grid = this.screen as unknown as Grid;
    this.attributes = this.attributesOf(options.hasColour ? this.grid.tput.colors : 0);
    const { program } = this.screen;
    const reader = new KeypressReader();
    const onInput = joinAltEnter(options.onInput);
    // On the input itself: the program leaves out the sequences around a paste.
    this.onKey = (char, key) => {
      const input = reader.read(char, key);
      if (input !== null) onInput(input);
    };
    program.input.on('keypress', this.onKey);
    program.on('keypress', () => undefined); // makes blessed switch to raw mode
    program.on('resize', () => options.onResize(this.cols, this.rows));
    if (options.terminal.hasBracketedPaste) program.write(PASTE_ON);
    if (options.hasMouse && options.terminal.hasBracketedPaste) this.listenToMouse();
  }

  get cols(): number {
    return this.screen.program.cols;
  }

  get rows(): number {
    return this.screen.program.rows;
  }

  paint({ lines, cursor }: Frame): void {
    if (this.isClosed) return;
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
    this.screen.draw(0, this.grid.lines.length - 1);
    const { program } = this.screen;
    if (cursor === null) return void program.hideCursor();
    program.cursorPos(cursor.row, cursor.col);
    program.showCursor();
  }

  /** Draws all of the next frame, over any content of the screen. */
  forget(): void {
    for (const row of this.grid.lines) this.painted.delete(row);
    this.screen.realloc();
  }

  /** Puts a text on the clipboard of the terminal that the person sits at, through ssh and tmux, too (OSC 52). */
  copy(text: string): void {
    if (!this.isClosed) this.screen.program.write(`\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`);
  }

  private listenToMouse(): void {
    const { program } = this.screen;
    program.bindMouse();
    program.on('mouse', (data: RawMouse) => {
      const input = mouseOf(data);
      if (input !== null) this.options.onInput(input);
    });
    program.write(MOUSE_ON);
  }

  /** Gives the terminal back as it was. Harmless when done already. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    process.removeListener('exit', this.restore);
    if (this.options.terminal.hasBracketedPaste) this.screen.program.write(PASTE_OFF + MOUSE_OFF);
    this.screen.program.input.removeListener('keypress', this.onKey);
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

/** blessed's width tables are from 2015. It must count cells as we do, or lines with newer characters drift apart. */
function patchWidth(unicode: Unicode): void {
  unicode.charWidth = (text, index = 0) => cellWidth(typeof text === 'number' ? text : (text.codePointAt(index) ?? 0));
}
