/** The meaning of a text. Each client decides how it looks. */
export type Style =
  | 'plain'
  | 'dim'
  | 'bold'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'alarm'
  | 'guilty'
  | 'selected'
  | 'selectedDim'
  | 'italic'
  | 'heading'
  | 'code'
  | 'link'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'match';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** A line of a screen: spans of clean text (see sanitise.ts) without line breaks. */
export type Line = readonly Span[];

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

export function line(text: string, style: Style = 'plain'): Line {
  return [{ text, style }];
}

export function textOf(content: Line): string {
  return content.map(({ text }) => text).join('');
}
