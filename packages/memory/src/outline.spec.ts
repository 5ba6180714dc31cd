import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countLines, findSection, outlineOf } from './outline.js';

const DOCUMENT = `# Notes
intro
## State
a: 1
### Disks
full
## Config
\`\`\`sh
# no heading
## State
\`\`\`
    # code, no heading
> # quoted
- # in a list

<!--
## in a comment
-->
## State
second
### Disks
empty

Setext
------
end`;

const slice = (text: string, name: string) => {
  const section = findSection(outlineOf(text), name);
  return section === null
    ? null
    : Buffer.from(text)
        .subarray(section.from, section.to ?? undefined)
        .toString();
};

describe('outlineOf', () => {
  it('headings have line numbers, and code, quotes, lists and comments contain no headings', () => {
    expect(outlineOf(DOCUMENT).map(({ line, depth, title }) => [line, depth, title])).toEqual([
      [1, 1, 'Notes'],
      [3, 2, 'State'],
      [5, 3, 'Disks'],
      [7, 2, 'Config'],
      [19, 2, 'State'],
      [21, 3, 'Disks'],
      [24, 2, 'Setext'],
    ]);
  });

  it('an unclosed or nested fence adds no false headings to the outline', () => {
    expect(outlineOf('# a\n```\n# b\n').map(({ title }) => title)).toEqual(['a']);
    expect(outlineOf('````\n```\n# x\n````\n# y\n').map(({ title }) => title)).toEqual(['y']);
    expect(outlineOf('~~~\n```\n# x\n~~~\n# y ##\n').map(({ title }) => title)).toEqual(['y']);
  });

  it('each heading has the right byte offset, for all kinds of line breaks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r')), {
          maxLength: 20,
        }),
        (parts) => {
          const text = parts
            .map(([words, end], n) => `p ${words.replaceAll(/[\r\n]/g, '')}${end}${end}# h${n}${end}`)
            .join('');
          const bytes = Buffer.from(text);
          const outline = outlineOf(text);
          expect(outline.map(({ title }) => title)).toEqual(parts.map((_, n) => `h${n}`));
          for (const { offsetBytes, title } of outline) {
            expect(bytes.subarray(offsetBytes, offsetBytes + 2 + title.length).toString()).toBe(`# ${title}`);
          }
        },
      ),
    );
  });
});

describe('findSection', () => {
  it('a section includes nested text, up to the next heading of the same or a higher rank', () => {
    expect(slice(DOCUMENT, 'State')).toBe('## State\na: 1\n### Disks\nfull\n');
    expect(slice(DOCUMENT, '  sTATE ')).toBe(slice(DOCUMENT, 'State'));
    expect(slice(DOCUMENT, '## State')).toBe(slice(DOCUMENT, 'State'));
    expect(slice(DOCUMENT, 'Setext')).toBe('Setext\n------\nend');
  });

  it('a section with a repeated title can be selected by number or parent, and the first is the default', () => {
    expect(slice(DOCUMENT, 'State [2]')).toBe('## State\nsecond\n### Disks\nempty\n\n');
    expect(slice(DOCUMENT, 'Disks')).toBe('### Disks\nfull\n');
    expect(slice(DOCUMENT, 'Disks [2]')).toBe('### Disks\nempty\n\n');
    expect(slice(DOCUMENT, 'State > Disks')).toBe('### Disks\nfull\n');
    expect(slice(DOCUMENT, 'State > Disks [2]')).toBe('### Disks\nempty\n\n');
    expect(slice(DOCUMENT, 'Notes > State > Disks [2]')).toBe('### Disks\nempty\n\n');
    expect(findSection(outlineOf(DOCUMENT), 'State')?.alike).toHaveLength(2);
    expect(slice(DOCUMENT, 'Config > Disks')).toBeNull();
    expect(slice(DOCUMENT, 'State [3]')).toBeNull();
  });

  it('an exact title is preferred to any other meaning of a name', () => {
    expect(slice('# a [2]\nx\n# a > b\ny\n', 'a [2]')).toBe('# a [2]\nx\n');
    expect(slice('# a [2]\nx\n# a > b\ny\n', 'a > b')).toBe('# a > b\ny\n');
  });

  it('findSection falls back to a part of a title, and marks the result', () => {
    expect(findSection(outlineOf(DOCUMENT), 'onfi')).toMatchObject({ heading: { title: 'Config' }, inPart: true });
    expect(findSection(outlineOf(DOCUMENT), 'nothing')).toBeNull();
  });
});

describe('countLines', () => {
  it('countLines counts lines as editors do', () => {
    expect(['', 'a', 'a\n', 'a\nb', 'a\r\nb\r\n', '\n'].map(countLines)).toEqual([0, 1, 1, 2, 2, 1]);
  });
});
