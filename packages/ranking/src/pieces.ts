/** As much as a model for embeddings takes in at once, and a person reads as an answer. */
const PIECE_MAX_CHARS = 1_500;

/** A text in pieces, cut between paragraphs where that is possible, else between lines, else anywhere. */
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
      // A piece begins with a line that says something.
      open =
        open === null || open.text.trim() === ''
          ? { line: n + 1, text: part }
          : { line: open.line, text: `${open.text}\n${part}` };
    }
  }
  close();
  return pieces;
}
