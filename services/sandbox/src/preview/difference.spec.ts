import { describe, expect, it } from '@jest/globals';
import { candidates, difference, parseListing } from './difference.js';

const listing = (
  ...files: readonly (readonly [name: string, type: string, size: number, times?: string, traits?: string])[]
) =>
  parseListing(
    Buffer.from(
      files
        .map(([name, type, size, times = 't0', traits = '644 ']) => `${type}\0${size}\0${times}\0${traits}\0${name}\0`)
        .join(''),
    ),
  );

describe('the difference made by a command', () => {
  const before = listing(
    ['kept', 'f', 5],
    ['gone', 'f', 7],
    ['folder', 'd', 4096],
    ['touched', 'f', 3],
    ['mode', 'f', 1],
  );

  it('the difference lists the files that a command deleted, created and changed', () => {
    const after = listing(
      ['kept', 'f', 5],
      ['folder', 'd', 8192],
      ['touched', 'f', 3, 't1'],
      ['mode', 'f', 1, 't0', '755 '],
      ['new', 'f', 11],
    );
    expect(candidates(before, after)).toEqual(['touched']);
    expect(difference(before, after, new Set())).toEqual({
      removed: { count: 1, sizeBytes: 7, names: ['gone'] },
      changed: { count: 2, sizeBytes: 4, names: ['mode', 'touched'] },
      added: { count: 1, sizeBytes: 11, names: ['new'] },
    });
    expect(difference(before, after, new Set(['touched'])).changed.names).toEqual(['mode']);
  });

  it('the difference includes a file that became a link, and a file of the same size with another time', () => {
    const after = listing(['kept', 'l', 5, 't0', '777 /etc/passwd'], ['gone', 'f', 7, 't9']);
    const { changed } = difference(before, after, new Set());
    expect(changed.names).toEqual(['gone', 'kept']);
  });

  it('the difference counts all changed files and names the first ones', () => {
    const many = listing(...Array.from({ length: 30 }, (_, n) => [`f${String(n).padStart(2, '0')}`, 'f', 1] as const));
    const { added } = difference(listing(), many, new Set());
    expect([added.count, added.sizeBytes, added.names.length, added.names.at(-1)]).toEqual([30, 30, 20, 'f19']);
  });

  it('file names in a difference may contain any character except NUL', () => {
    expect([...listing(['two\nlines', 'f', 1], ['é ', 'd', 9]).keys()]).toEqual(['two\nlines', 'é ']);
  });
});
