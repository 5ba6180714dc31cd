import type { BlessedProgram } from 'blessed';
import { joinAltEnter, KeypressReader, mouseOf, type Input, type RawKey, type RawMouse } from './keypress.js';
import type { TerminalKind } from './terminal.js';

export interface InputOptions {
  readonly terminal: TerminalKind;
  readonly hasMouse: boolean;
  readonly onInput: (input: Input) => void;
}

// These sequences request presses and the wheel, with unlimited coordinates. The terminal keeps moves and drags, for
// selecting text.
const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Reads keys, pastes and the mouse, as blessed's program reports them. */
export class TerminalInput {
  private readonly onKey: (char: string | undefined, key: RawKey | undefined) => void;

  constructor(
    private readonly program: BlessedProgram,
    private readonly options: InputOptions,
  ) {
    const reader = new KeypressReader();
    const onInput = joinAltEnter(options.onInput);
    // The listener is on the input itself, because the program object drops the sequences around a paste.
    this.onKey = (char, key) => {
      const input = reader.read(char, key);
      if (input !== null) onInput(input);
    };
    program.input.on('keypress', this.onKey);
    program.on('keypress', () => undefined); // this makes blessed switch to raw mode
    if (this.hasMouse) this.listenToMouse();
  }

  private get hasMouse(): boolean {
    return this.options.hasMouse && this.options.terminal.hasBracketedPaste;
  }

  /** Switches on what the terminal reports. */
  begin(): void {
    if (this.options.terminal.hasBracketedPaste) this.program.write(PASTE_ON);
    if (this.hasMouse) this.program.write(MOUSE_ON);
  }

  /** Switches it off again. */
  end(): void {
    if (this.options.terminal.hasBracketedPaste) this.program.write(PASTE_OFF + MOUSE_OFF);
  }

  close(): void {
    this.end();
    this.program.input.removeListener('keypress', this.onKey);
  }

  private listenToMouse(): void {
    this.program.bindMouse();
    this.program.on('mouse', (data: RawMouse) => {
      const input = mouseOf(data);
      if (input !== null) this.options.onInput(input);
    });
  }
}
