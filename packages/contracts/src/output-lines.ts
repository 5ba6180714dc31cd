/** UTF-16 units of a line at most; a longer one is several. Nobody has to hold more of an output than a page of such lines. */
export const OUTPUT_LINE_MAX_CHARS = 4_096;

/** Cuts a text that comes in pieces into its lines, each with its line break. The same text has the same lines, however it comes. */
export class OutputLines {
  private rest = '';

  /** @returns the lines that have ended. */
  push(piece: string): string[] {
    return this.cut(this.rest + piece);
  }

  /** @returns what is left: a last line without a line break, or nothing. */
  end(): string[] {
    const { rest } = this;
    this.rest = '';
    return rest === '' ? [] : [rest];
  }

  private cut(text: string): string[] {
    const lines: string[] = [];
    let from = 0;
    for (;;) {
      const feed = text.indexOf('\n', from);
      const end = feed < 0 ? text.length : feed + 1;
      // What has its break after exactly so many is one line: a break is waited for.
      const most = OUTPUT_LINE_MAX_CHARS + (feed < 0 ? 0 : 1);
      while (end - from > most) {
        const to = from + OUTPUT_LINE_MAX_CHARS - (isLow(text, from + OUTPUT_LINE_MAX_CHARS) ? 1 : 0);
        lines.push(text.slice(from, to));
        from = to;
      }
      if (feed < 0) break;
      lines.push(text.slice(from, end));
      from = end;
    }
    this.rest = text.slice(from);
    return lines;
  }
}

/** The lines of a text that is there as a whole. */
export function outputLines(text: string): string[] {
  const lines = new OutputLines();
  return [...lines.push(text), ...lines.end()];
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
