/** What blessed's own terminal database describes well; anything else that is in use today speaks like xterm. */
const KNOWN = /^(?:linux|xterm|vt\d+|ansi|rxvt-unicode-256color)(?:-\w+)?$/;

export interface TerminalKind {
  /** The name that blessed is given. */
  readonly name: string;
  readonly hasBracketedPaste: boolean;
}

/** How to talk to the terminal that TERM names; null when it cannot be drawn on. */
export function terminalKind(term: string | undefined): TerminalKind | null {
  if (term === undefined || term === '' || term === 'dumb') return null;
  const hasBracketedPaste = !/^(?:linux|vt\d|ansi)/.test(term);
  return { name: KNOWN.test(term) ? term : 'xterm-256color', hasBracketedPaste };
}
