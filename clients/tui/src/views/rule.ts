import { span, type Line, type Span, type Style } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';

/** Returns a horizontal rule with a title, such as `─ GOALS ─────`, and optionally a text at its right end. */
export function rule(cols: number, title: readonly Span[], right: readonly Span[] = [], style: Style = 'dim'): Line {
  const left: Span[] = title.length === 0 ? [] : [span('─ ', style), ...title, span(' ', style)];
  const end: Span[] = right.length === 0 ? [] : [span(' ', style), ...right, span(' ─', style)];
  const rest = cols - lineWidth(left) - lineWidth(end);
  if (rest < 1 && right.length > 0) return rule(cols, title, [], style);
  return [...left, span('─'.repeat(Math.max(0, rest)), style), ...end];
}
