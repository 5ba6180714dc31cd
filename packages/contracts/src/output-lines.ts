/**
 * Maximum UTF-16 units of a line. Longer lines are split, so that nobody has to hold more than one page of lines in
 * memory.
 */
export const OUTPUT_LINE_MAX_CHARS = 4_096;

/** Cuts a text that arrives in pieces into lines, each with its line break. The lines do not depend on the pieces. */
export class OutputLines {
  private rest = '';

  /** @returns the lines that are now complete */
  push(piece: string): string[] {
    return this.cut(this.rest + piece);
  }

  /** @returns the rest: a last line without a line break, or nothing */
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
      // A line of the maximum length may still be followed by its line break, so one more character must arrive first.
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

/** Splits a complete text into its lines. */
export function outputLines(text: string): string[] {
  const lines = new OutputLines();
  return [...lines.push(text), ...lines.end()];
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
