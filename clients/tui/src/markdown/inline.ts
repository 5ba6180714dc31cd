import { span, type Span, type Style } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { Node } from '@aish/views/markdown.blocks';

/** An open mark, with its style and the start of a link. */
interface Open {
  readonly style: Style;
  readonly link?: { readonly href: string; readonly from: number };
}

const STYLES: Readonly<Record<string, Style>> = { strong_open: 'bold', em_open: 'italic', s_open: 'dim' };

/**
 * Returns the text of a block as spans. `style` is the style of plain text in this place. The function is not
 * recursive, because emphasis can nest without limit.
 */
export function inlineSpans(blocks: readonly Node[], style: Style = 'plain'): Span[] {
  const spans: Span[] = [];
  const open: Open[] = [{ style }];
  for (const { token, content } of blocks.flatMap(({ children }) => children)) {
    const { style: now } = open.at(-1) ?? { style };
    if (token.type === 'link_open') {
      open.push({ style: now, link: { href: oneLine(String(token.attrGet('href') ?? '')), from: spans.length } });
    } else if (token.nesting > 0) {
      const wanted = STYLES[token.type] ?? now;
      open.push({ style: now === 'plain' || wanted === 'dim' ? wanted : now });
    } else if (token.nesting < 0) {
      const link = open.pop()?.link;
      if (link !== undefined) spans.push(...linkSpans(spans.splice(link.from), link.href, open.at(-1)?.style ?? style));
    } else spans.push(...pieceSpans(token.type, content, String(token.attrGet('src') ?? ''), now));
  }
  return spans;
}

function pieceSpans(type: string, content: string, src: string, style: Style): Span[] {
  switch (type) {
    case 'code_inline':
      return [span(content, 'code')];
    case 'softbreak':
    case 'hardbreak':
      return [span('\n', style)];
    case 'image':
      return [span(`${content === '' ? 'image' : content} `, style), span(oneLine(src), 'link')];
    default:
      return [span(content, style)];
  }
}

/** Shows the address of a link beside its text, because a terminal does not show where a link leads. */
function linkSpans(label: readonly Span[], href: string, style: Style): Span[] {
  const text = label.map((part) => part.text).join('');
  if (text === href || href === `mailto:${text}`) return [span(text, 'link')];
  return [...label, span(' ', style), span(`(${href})`, 'link')];
}
