import { describe, expect, it } from '@jest/globals';
import { lineWidth, textOf, type Line } from '../text/line.js';
import { growingMarkdownLines } from './growing.markdown.js';
import { markdownLines } from './markdown.lines.js';

const shown = (lines: readonly Line[]): string => lines.map((each) => textOf(each).trimEnd()).join('\n');

const DOCUMENT = `# Backups ⚡

Run **daily**, see [the page](https://x.y/z).

- one
- two
  1. nested

- [x] loose

| name | size |
|:-----|-----:|
| 日本語 | 3 |

> quoted

\`\`\`bash
for f in *; do rm "$f"; done # all
\`\`\`
`;

describe('Markdown', () => {
  it('shows headings, lists, tables, quotes and code', () => {
    expect(shown(markdownLines(DOCUMENT, 40))).toBe(
      [
        'Backups ⚡',
        '──────────',
        '',
        'Run daily, see the page (https://x.y/z).',
        '',
        '• one',
        '',
        '• two',
        '  1. nested',
        '',
        '• ☑ loose',
        '',
        '┌────────┬──────┐',
        '│ name   │ size │',
        '├────────┼──────┤',
        '│ 日本語 │    3 │',
        '└────────┴──────┘',
        '',
        '│ quoted',
        '',
        '▏ for f in *; do rm "$f"; done # all',
      ].join('\n'),
    );
  });

  it('colours code whose language it knows, and loses nothing of it', () => {
    const spans = markdownLines('```python\ndef f(x):\n    return "<&>"  # why\n```', 60).flat();
    expect(spans).toContainEqual({ text: 'def', style: 'keyword' });
    expect(spans).toContainEqual({ text: '"<&>"', style: 'string' });
    expect(spans).toContainEqual({ text: '# why', style: 'comment' });
    expect(shown(markdownLines('```nonsense\na <b> & c\n```', 60))).toBe('▏ a <b> & c');
  });

  it.each([12, 20, 33, 80])('never exceeds %i cells', (width) => {
    for (const each of markdownLines(`${DOCUMENT}\n${'x'.repeat(200)}`, width)) {
      expect(lineWidth(each)).toBeLessThanOrEqual(width);
    }
  });

  it('lets no escape sequence through', () => {
    expect(shown(markdownLines('a\u001b[31mb **c\u001b]0;t\u0007d**', 40))).toBe('ab cd');
  });

  it('looks at every moment of its growth as if it had been parsed whole', () => {
    for (let end = 1; end <= DOCUMENT.length; end += 1) {
      const text = DOCUMENT.slice(0, end);
      expect(shown(growingMarkdownLines('a', text, 40)).trimEnd()).toBe(shown(markdownLines(text, 40)).trimEnd());
    }
  });
});
