import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textOf, type Line } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
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
  it('Markdown shows headings, lists, tables, quotes and code', () => {
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

  it('Markdown colours code of known languages without losing any of it', () => {
    const spans = markdownLines('```python\ndef f(x):\n    return "<&>"  # why\n```', 60).flat();
    expect(spans).toContainEqual({ text: 'def', style: 'keyword' });
    expect(spans).toContainEqual({ text: '"<&>"', style: 'string' });
    expect(spans).toContainEqual({ text: '# why', style: 'comment' });
    expect(shown(markdownLines('```nonsense\na <b> & c\n```', 60))).toBe('▏ a <b> & c');
  });

  it.each([12, 20, 33, 80])('a line of Markdown never exceeds %i cells', (width) => {
    for (const each of markdownLines(`${DOCUMENT}\n${'x'.repeat(200)}`, width)) {
      expect(lineWidth(each)).toBeLessThanOrEqual(width);
    }
  });

  it('Markdown removes escape sequences', () => {
    expect(shown(markdownLines('a\u001b[31mb **c\u001b]0;t\u0007d**', 40))).toBe('ab cd');
  });

  it('growing Markdown always looks like the same text parsed at once', () => {
    for (let end = 1; end <= DOCUMENT.length; end += 1) {
      const text = DOCUMENT.slice(0, end);
      expect(shown(growingMarkdownLines('a', text, 40)).trimEnd()).toBe(shown(markdownLines(text, 40)).trimEnd());
    }
  });

  it('growing Markdown of any blocks in any order looks like the same text parsed at once', () => {
    const blocks = fc.constantFrom(
      ...DOCUMENT.split('\n'),
      '~~~',
      '    code',
      '***',
      '<div>',
      '<!-- a',
      '-->',
      '3) x',
      '>> y',
    );
    fc.assert(
      fc.property(fc.array(blocks, { maxLength: 20 }), fc.nat(), (rows, n) => {
        const key = `any ${n}`;
        for (let end = 1; end <= rows.length; end += 1) {
          const text = rows.slice(0, end).join('\n');
          expect(shown(growingMarkdownLines(key, text, 40)).trimEnd()).toBe(shown(markdownLines(text, 40)).trimEnd());
        }
      }),
    );
  });

  it.each([
    ['quotes', '>'.repeat(20_000)],
    ['lists', `${'- '.repeat(5_000)}x`],
    ['emphasis', `${'*a '.repeat(5_000)}${'b* '.repeat(5_000)}`],
    ['stars', '*'.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['links', '[a]('.repeat(5_000)],
  ])('Markdown with very deeply nested %s is shown within five seconds', (_, text) => {
    const started = performance.now();
    expect(markdownLines(text, 80).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('Markdown shows link reference definitions as text', () => {
    expect(shown(markdownLines('see [the page][p]\n\n[p]: https://x.y/z', 40))).toBe(
      'see [the page][p]\n\n[p]: https://x.y/z',
    );
  });

  it('Markdown never shows a hidden character from a numeric character reference', () => {
    const text = shown(markdownLines('a &#8238; &#x1b;[31m [b](http://x/&#8238;y)', 80));
    expect(text).toBe('a &#8238; &#x1b;[31m b (http://x/y)');
  });

  it('Markdown shows the target of each link exactly as written', () => {
    expect(shown(markdownLines('[a](javascript:x) <https://x.y/ä> https://x.y/a_b_c main.rs', 80))).toBe(
      'a (javascript:x) https://x.y/ä https://x.y/a_b_c main.rs',
    );
  });
});
