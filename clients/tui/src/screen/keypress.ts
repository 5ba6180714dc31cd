/** A key as blessed reports it. */
export interface RawKey {
  readonly name?: string | undefined;
  readonly code?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export type Input =
  | { readonly type: 'key'; readonly key: string; readonly text: string | null }
  | { readonly type: 'pasted'; readonly text: string }
  | { readonly type: 'mouse'; readonly action: 'up' | 'down' | 'click'; readonly x: number; readonly y: number };

/** A mouse event as blessed reports it. */
export interface RawMouse {
  readonly action?: string;
  readonly x?: number;
  readonly y?: number;
}

/** Converts turns of the mouse wheel and clicks. Other mouse events are ignored. */
export function mouseOf({ action, x = 0, y = 0 }: RawMouse): Input | null {
  if (action === 'wheelup') return { type: 'mouse', action: 'up', x, y };
  if (action === 'wheeldown') return { type: 'mouse', action: 'down', x, y };
  return action === 'mousedown' ? { type: 'mouse', action: 'click', x, y } : null;
}

const PASTE_BEGINS = '[200~';
const PASTE_ENDS = '[201~';
/** This limits a paste whose end never arrives. */
const PASTE_MAX_CHARS = 1_000_000;

/**
 * Converts blessed's key presses. It names keys as keys.ts does, returns a paste as one piece, and joins surrogate
 * pairs.
 */
export class KeypressReader {
  private pasted: string | null = null;
  private highSurrogate = '';

  read(char: string | undefined, key: RawKey | undefined): Input | null {
    if (key?.code === PASTE_BEGINS) this.pasted = '';
    else if (key?.code === PASTE_ENDS) return this.endPaste();
    // blessed reports the enter key twice, as `enter` and as `return`.
    else if (key?.name === 'return') return null;
    else if (this.pasted !== null) this.pasted = (this.pasted + pieceOf(char, key)).slice(0, PASTE_MAX_CHARS);
    else return this.readKey(char, key);
    return null;
  }

  private readKey(char: string | undefined, key: RawKey | undefined): Input | null {
    const name = key?.name;
    if (name === 'enter' || name === 'linefeed') return press(key?.sequence === '\n' ? 'ctrl-j' : 'enter');
    if (key?.ctrl === true && name !== undefined) return press(`ctrl-${name}`);
    if (key?.meta === true) return press(`alt-${name ?? ''}`);
    if (char !== undefined && /^[^\p{Cc}]$/u.test(char)) return this.typed(char);
    return name === undefined || name === 'undefined' ? null : press(name);
  }

  /** Joins the two halves into which blessed splits characters beyond the first plane. */
  private typed(char: string): Input | null {
    if (/^[\ud800-\udbff]$/.test(char)) {
      this.highSurrogate = char;
      return null;
    }
    const text = /^[\udc00-\udfff]$/.test(char) ? this.highSurrogate + char : char;
    this.highSurrogate = '';
    return { type: 'key', key: text, text };
  }

  private endPaste(): Input | null {
    const text = this.pasted;
    this.pasted = null;
    return text === null || text === '' ? null : { type: 'pasted', text };
  }
}

function pieceOf(char: string | undefined, key: RawKey | undefined): string {
  if (key?.name === 'enter' || key?.name === 'linefeed') return '\n';
  return char ?? '';
}

function press(key: string): Input {
  return { type: 'key', key, text: null };
}

/**
 * Joins Alt-Enter, which terminals send as Escape and Enter at once and blessed reports as two keys. An Escape waits
 * until it is clear that no Enter came with it.
 */
export function joinAltEnter(onInput: (input: Input) => void): (input: Input) => void {
  let escape: { readonly input: Input; readonly due: NodeJS.Immediate } | null = null;
  return (input) => {
    const before = escape;
    escape = null;
    if (before !== null) clearImmediate(before.due);
    if (before !== null && input.type === 'key' && input.key === 'enter') return onInput(press('alt-enter'));
    if (before !== null) onInput(before.input);
    if (input.type !== 'key' || input.key !== 'escape') return onInput(input);
    const due = setImmediate(() => {
      escape = null;
      onInput(input);
    });
    escape = { input, due };
  };
}
