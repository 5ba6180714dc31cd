/** A text and the text that replaces it. */
export interface Replacement {
  readonly of: string;
  readonly by: string;
}

/**
 * Replaces texts in a stream of bytes, even across pieces. Only bytes that may be the beginning of one of the texts are
 * held back.
 */
export class Replacer {
  private held = '';
  private readonly replacements: readonly Replacement[];

  constructor(replacements: readonly Replacement[]) {
    // If several texts match at one position, the longest wins.
    this.replacements = replacements
      .map(({ of, by }) => ({ of: Buffer.from(of).toString('latin1'), by: Buffer.from(by).toString('latin1') }))
      .toSorted((a, b) => b.of.length - a.of.length);
  }

  /** Returns the output that is final after `piece`. */
  push(piece: Buffer): Buffer {
    return this.take(this.held + piece.toString('latin1'), false);
  }

  /** Returns the rest of the output, at the end of the stream. */
  end(): Buffer {
    return this.take(this.held, true);
  }

  private take(text: string, isLast: boolean): Buffer {
    let out = '';
    let from = 0;
    for (let next = this.find(text, from); next !== null; next = this.find(text, from)) {
      out += text.slice(from, next.at) + next.replacement.by;
      from = next.at + next.replacement.of.length;
    }
    const until = isLast ? text.length : Math.max(from, text.length - this.heldBack(text.slice(from)));
    this.held = text.slice(until);
    return Buffer.from(out + text.slice(from, until), 'latin1');
  }

  private find(text: string, from: number): { readonly at: number; readonly replacement: Replacement } | null {
    let best: { at: number; replacement: Replacement } | null = null;
    for (const replacement of this.replacements) {
      const at = text.indexOf(replacement.of, from);
      if (at >= 0 && (best === null || at < best.at)) best = { at, replacement };
    }
    return best;
  }

  /** Returns how many characters at the end of a text may be the beginning of a match. */
  private heldBack(text: string): number {
    let longest = 0;
    for (const { of } of this.replacements) {
      for (let length = Math.min(of.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(of.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}
