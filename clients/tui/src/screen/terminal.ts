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
