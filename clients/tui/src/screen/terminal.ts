/** Blessed's own database describes these terminals well. Any other terminal in use today is compatible with xterm. */
const KNOWN = /^(?:linux|xterm|vt\d+|ansi|rxvt-unicode-256color)(?:-\w+)?$/;

export interface TerminalKind {
  /** The name of the terminal for blessed. */
  readonly name: string;
  readonly hasBracketedPaste: boolean;
}

/** Returns how to talk to the terminal that TERM names, or null if aish cannot draw on it. */
export function terminalKind(term: string | undefined): TerminalKind | null {
  if (term === undefined || term === '' || term === 'dumb') return null;
  const hasBracketedPaste = !/^(?:linux|vt\d|ansi)/.test(term);
  return { name: KNOWN.test(term) ? term : 'xterm-256color', hasBracketedPaste };
}

// With DEC 2026, the terminal shows a frame only when it is complete. Terminals that do not know this sequence ignore
// it.
export const FRAME_BEGIN = '\u001b[?2026h';
export const FRAME_END = '\u001b[?2026l';

/** Returns the sequence that copies a text to the clipboard of the person's terminal, also through ssh and tmux. */
export function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}
