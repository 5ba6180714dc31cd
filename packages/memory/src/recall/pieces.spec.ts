import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { piecesOf } from '@aish/ranking';
import { sectionsOf, snippetOf } from './pieces.js';

describe('chunks of texts', () => {
  it('chunks contain every word once and in order, within the size limit, with their positions', () => {
    const texts = fc.array(fc.constantFrom('alpha', 'b', '\n', '\n\n', ' ', 'x'.repeat(30)), { maxLength: 80 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const pieces = piecesOf(text, 20);
        const plain = (given: string) => given.replaceAll(/\s/g, '');
        expect(plain(pieces.map((piece) => piece.text).join(''))).toBe(plain(text));
        const lines = text.split('\n');
        for (const piece of pieces) {
          expect(piece.text.length).toBeLessThanOrEqual(21);
          expect(lines[piece.line - 1]).toContain(piece.text.split('\n')[0]?.trim());
        }
      }),
    );
  });

  it('the chunks of a document are its sections, with their lines', () => {
    const text =
      'before\n\n# State\nok\n\n## Disks\nsda 93 %\n```\n# no heading\n```\n## The boiler is replaced in May\n';
    expect(sectionsOf(text)).toEqual([
      { title: '', line: 1, text: 'before' },
      { title: 'State', line: 4, text: 'ok' },
      { title: 'Disks', line: 7, text: 'sda 93 %\n```\n# no heading\n```' },
      // Some sections have only a heading.
      { title: 'The boiler is replaced in May', line: 11, text: '' },
    ]);
    expect(sectionsOf('')).toEqual([]);
  });

  it('a snippet comes from the place with most words of the question', () => {
    const text = `${'filler '.repeat(100)}the NAS is called odin ${'filler '.repeat(100)}`;
    expect(snippetOf(text, 'what is the NAS called')).toMatch(/^…(?:filler )+the NAS is called odin .*…$/);
    expect(snippetOf('short\n text', 'x')).toBe('short text');
  });
});
