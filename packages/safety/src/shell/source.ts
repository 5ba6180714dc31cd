/** [start, end) in UTF-16 code units of the text that was asked about. */
export type Span = readonly [number, number];

/** A piece of shell text, and where its parts stand in the text that was asked about. */
export interface Source {
  readonly text: string;
  readonly spanOf: (start: number, end: number) => Span;
}

export function rootSource(text: string): Source {
  return { text, spanOf: (start, end) => [start, end] };
}

/**
 * Code inside a word of `outer`. Where it stands there letter for letter its parts keep their own places; where
 * quoting or expansion made it, all of it is the whole word.
 */
export function nestedSource(outer: Source, start: number, end: number, code: string): Source {
  const offset = code === '' ? -1 : outer.text.slice(start, end).indexOf(code);
  if (offset === -1) return { text: code, spanOf: () => outer.spanOf(start, end) };
  return { text: code, spanOf: (from, to) => outer.spanOf(start + offset + from, start + offset + to) };
}
