/** The length that an embedding model takes at once, and that a person reads as an answer. */
const PIECE_MAX_CHARS = 1_500;

/** Splits a text into pieces, between paragraphs if possible, otherwise between lines, otherwise anywhere. */
export function piecesOf(text: string, maxChars = PIECE_MAX_CHARS): { readonly line: number; readonly text: string }[] {
  const pieces: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  const close = (): void => {
    if (open !== null && open.text.trim() !== '') pieces.push({ line: open.line, text: open.text.trim() });
    open = null;
  };
  for (const [n, line] of text.split('\n').entries()) {
    const isFull = open !== null && open.text.length + line.length + 1 > maxChars;
    const isParagraphEnd = line.trim() === '' && open !== null && open.text.length > maxChars / 2;
    if (isFull || isParagraphEnd) close();
    if (open === null && line.trim() === '') continue;
    for (let at = 0; at === 0 || at < line.length; at += maxChars) {
      if (at > 0) close();
      const part = line.slice(at, at + maxChars);
      // A piece begins with a line that is not blank.
      open =
        open === null || open.text.trim() === ''
          ? { line: n + 1, text: part }
          : { line: open.line, text: `${open.text}\n${part}` };
    }
  }
  close();
  return pieces;
}
