/** A range [start, end) in UTF-16 code units of the original text. */
export type Span = readonly [number, number];

/** A piece of shell text, and the positions of its parts in the original text. */
export interface Source {
  readonly text: string;
  readonly spanOf: (start: number, end: number) => Span;
}

export function rootSource(text: string): Source {
  return { text, spanOf: (start, end) => [start, end] };
}

/**
 * Returns the code inside a word of `outer`. If the code appears there literally, its parts keep their own positions.
 * If quoting or expansion made it, all of its parts have the position of the whole word.
 */
export function nestedSource(outer: Source, start: number, end: number, code: string): Source {
  const offset = code === '' ? -1 : outer.text.slice(start, end).indexOf(code);
  if (offset === -1) return { text: code, spanOf: () => outer.spanOf(start, end) };
  return { text: code, spanOf: (from, to) => outer.spanOf(start + offset + from, start + offset + to) };
}
