import { line, span, type Line } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { cleanText } from '@aish/views/sanitise';
import { wrapSpans, wrapText } from '@aish/views/text/wrap';
import { blocksOf, type Block, type Node } from '@aish/views/markdown.blocks';
import { highlight } from '@aish/views/highlight';
import { inlineSpans } from './inline.js';
import { tableLines } from './table.lines.js';

const MIN_WIDTH = 12;
/** The minimum width of nested content. */
const MIN_INNER_WIDTH = 4;
const TASK = /^\[([ xX])\]\s/;

/** Returns Markdown as lines of at most `width` cells. The text may contain anything, and it is cleaned here. */
export function markdownLines(text: string, width: number): Line[] {
  const clean = cleanText(text);
  const blocks = blocksOf(clean);
  return blocks === null ? wrapText(clean, 'plain', width) : sourceLines(blocks, clean, width);
}

/** Returns blocks as lines, with the blank lines of the text. */
export function sourceLines(blocks: readonly Block[], text: string, width: number): Line[] {
  return new Layout(text.split('\n')).lines(blocks, Math.max(MIN_WIDTH, width));
}

class Layout {
  constructor(private readonly source: readonly string[]) {}

  lines(nodes: readonly Node[], width: number): Line[] {
    return nodes.flatMap((node, index) => [
      ...(index > 0 && this.isAfterBlank(node) ? [line('')] : []),
      ...this.linesOf(node, width),
    ]);
  }

  private linesOf(node: Node, width: number): Line[] {
    const { token, children } = node;
    switch (token.type) {
      case 'heading_open':
        return headingLines(node, width);
      case 'fence':
      case 'code_block':
        return codeLines(token.content.replace(/\n$/, ''), token.info, width);
      case 'bullet_list_open':
      case 'ordered_list_open':
        return this.listLines(node, width);
      case 'blockquote_open': {
        const inner = this.lines(children, Math.max(MIN_INNER_WIDTH, width - 2));
        return inner.map((each) => [span('│ ', 'dim'), ...each]);
      }
      case 'table_open':
        return tableLines(node, width) ?? wrapText(this.sourceOf(node), 'plain', width);
      case 'hr':
        return [line('─'.repeat(Math.min(width, 40)), 'dim')];
      case 'html_block':
        return wrapText(token.content.trimEnd(), 'plain', width);
      default:
        return wrapSpans(inlineSpans(children), width);
    }
  }

  private listLines({ token, children: items }: Node, width: number): Line[] {
    const isOrdered = token.type === 'ordered_list_open';
    const first = Number(token.attrGet('start') ?? 1);
    const digits = String(first + items.length - 1).length;
    const isLoose = items.some(({ children }) => children.some((block) => isParagraph(block) && !block.token.hidden));
    return items.flatMap((item, index) => {
      const bullet = isOrdered ? `${String(first + index).padStart(digits)}. ` : '• ';
      const { children, mark } = withoutTask(item.children);
      const lead = `${bullet}${mark}`;
      const inner = this.lines(children, Math.max(MIN_INNER_WIDTH, width - lead.length));
      const shown = inner.length === 0 ? [line('')] : inner;
      const lines = shown.map((each, at): Line => [span(at === 0 ? lead : ' '.repeat(lead.length), 'accent'), ...each]);
      return isLoose && index < items.length - 1 ? [...lines, line('')] : lines;
    });
  }

  /** Returns whether the previous line is blank, ignoring quote marks. */
  private isAfterBlank({ token }: Node): boolean {
    const before = token.map === null ? undefined : this.source[token.map[0] - 1];
    return before !== undefined && /^[\s>]*$/.test(before);
  }

  private sourceOf({ token }: Node): string {
    return this.source.slice(...(token.map ?? [0, 0])).join('\n');
  }
}

function headingLines({ token, children }: Node, width: number): Line[] {
  const lines = wrapSpans(inlineSpans(children), width);
  const underline = '─'.repeat(Math.min(width, Math.max(0, ...lines.map(lineWidth))));
  return token.tag === 'h1' ? [...lines, line(underline, 'dim')] : lines;
}

function codeLines(code: string, info: string, width: number): Line[] {
  const language = info.trim().split(/[\s{,]/)[0] ?? '';
  const lines = wrapSpans(highlight(code, language), width - 2, { exact: true });
  return lines.map((each) => [span('▏ ', 'dim'), ...each]);
}

/** Shows a box for `[x]` at the beginning of an item. */
function withoutTask(children: readonly Node[]): { readonly children: readonly Node[]; readonly mark: string } {
  const [paragraph, ...others] = children;
  const [inline] = paragraph?.children ?? [];
  const [first, ...rest] = inline?.children ?? [];
  const task = paragraph !== undefined && isParagraph(paragraph) ? TASK.exec(first?.content ?? '') : null;
  if (task === null || paragraph === undefined || inline === undefined || first === undefined) {
    return { children, mark: '' };
  }
  const text = { ...first, content: first.content.slice(task[0].length) };
  const stripped = { ...paragraph, children: [{ ...inline, children: [text, ...rest] }] };
  return { children: [stripped, ...others], mark: task[1] === ' ' ? '☐ ' : '☑ ' };
}

function isParagraph({ token }: Node): boolean {
  return token.type === 'paragraph_open';
}
