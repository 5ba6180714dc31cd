import { describe, expect, it } from '@jest/globals';
import { CARD_LINES_MAX, differenceLines, sumEffects, effectsLine, totalChangeLines } from './effect-lines.js';
import type { Effects, HeldItem } from './effects.js';

const share = (files = 0, bytes = 0) => ({ files, bytes, paths: [] });
const effects = (over: Partial<Effects>): Effects => ({
  created: share(),
  changed: share(),
  deleted: share(),
  complete: true,
  ...over,
});

describe('changes in one line', () => {
  it('the line of changes shows how many files were created, changed and deleted, and how many bytes are gone', () => {
    const all = effects({ created: share(3, 10), changed: share(1, 5), deleted: share(2, 12_000_000) });
    expect(effectsLine(all)).toBe('+3 ~1 −2 files, 12 MB gone');
  });

  it('the line of changes is empty for a command that changed nothing', () => {
    expect(effectsLine(effects({}))).toBe('');
  });

  it('the line of changes shows that there were more changes than could be counted', () => {
    expect(effectsLine(effects({ deleted: share(7, 999_600), complete: false }))).toBe(
      '−7 files, 1.0 MB gone, and more',
    );
    expect(effectsLine(effects({ complete: false }))).toBe('files changed; too many to count');
  });

  it('the line of changes uses the singular for a single file', () => {
    expect(effectsLine(effects({ created: share(1, 1) }))).toBe('+1 file');
  });
});

describe('the total changes of several commands', () => {
  const lost = { files: 1, bytes: 1 };
  const held = (verdict: 'waiting' | 'kept' | 'dropped') => ({ verdict, deleted: lost, overwritten: lost, own: null });
  const deleted = (...paths: string[]) => effects({ deleted: { files: paths.length, bytes: 4, paths } });

  it('the total of several commands lists each path once and omits changes that were not kept', () => {
    const runs = [
      { effects: deleted('a') },
      {},
      { effects: deleted('a', 'b'), held: held('kept') },
      { effects: deleted('c'), held: held('dropped') },
      { effects: deleted('d'), held: held('waiting') },
    ];
    expect(sumEffects(runs)).toEqual(effects({ deleted: { files: 3, bytes: 8, paths: ['a', 'b'] } }));
    expect(sumEffects([{}, { effects: deleted('c'), held: held('dropped') }])).toBeNull();
  });

  it('the summary shows totals, and the deleted and changed paths', () => {
    const created = { files: 2, bytes: 1, paths: ['new', 'newer'] };
    const changed = { files: 1, bytes: 1, paths: ['old'] };
    const did = effects({ created, changed, deleted: { files: 3, bytes: 8, paths: ['a'] } });
    expect(totalChangeLines(did)).toEqual([
      'total changes: +2 ~1 −3 files, 8 B gone',
      '  − a',
      '  and 2 more deleted',
      '  ~ old',
    ]);
    expect(totalChangeLines(null)).toEqual([]);
    expect(totalChangeLines(effects({}))).toEqual([]);
  });
});

describe('the changes on a card', () => {
  const item = (path: string, how: HeldItem['how'], bytes: number): HeldItem => ({ path, how, why: 'refused', bytes });
  const lost = { files: 1, bytes: 1 };
  const held = (items: readonly HeldItem[], more: object = {}) => ({
    verdict: 'waiting' as const,
    deleted: lost,
    overwritten: lost,
    own: null,
    items: [...items],
    ...more,
  });
  const changed = Array.from({ length: 60 }, (_, n) => `b${n}.txt`);

  it('a card lists destroyed files first, then changed ones, then new ones, with the size of each loss', () => {
    const items = [
      item('added.log', 'appended', 5),
      item('config.yml', 'replaced', 2_000),
      item('small', 'deleted', 1),
      item('notes.txt', 'emptied', 12_000),
      item('new.sh', 'created', 0),
    ];
    const own = effects({ deleted: { files: 2, bytes: 2, paths: ['own', 'small'] }, created: share(1) });
    expect(differenceLines({ effects: own, held: held(items) }, 17).slice(2)).toEqual([
      '  − notes.txt (emptied, 12 kB)',
      '  − small (1 B)',
      '  − own',
      '  ~ config.yml (replaced, 2.0 kB)',
      '  ~ added.log (text added, 5 B)',
      '  + new.sh',
    ]);
  });

  it('a card of 61 changed files shows the only emptied file first, and how to list the others', () => {
    const items = [...changed.map((path) => item(path, 'replaced', 7)), item('z.txt', 'emptied', 3)];
    const all = effects({ changed: { files: 61, bytes: 9, paths: changed.slice(0, 20) } });
    const lines = differenceLines({ effects: all, held: held(items) }, 17);
    expect(lines[2]).toBe('  − z.txt (emptied, 3 B)');
    expect(lines.at(-1)).toBe(`and ${61 - CARD_LINES_MAX} more: aish show d17 --changes`);
    expect(lines).toHaveLength(2 + CARD_LINES_MAX + 1);
  });

  it('a card shows the beginning of a diff, and that the diff continues', () => {
    const items = changed.map((path) => item(path, 'replaced', 7));
    const diff = Array.from({ length: 30 }, (_, n) => `+line ${n}`).join('\n');
    const lines = differenceLines({ effects: null, held: held(items, { diff }) }, 17);
    expect(lines).toHaveLength(2 + CARD_LINES_MAX + 2);
    expect(lines.filter((each) => each.startsWith('  +line'))).toHaveLength(8);
    const short = differenceLines({ effects: null, held: held(items.slice(0, 1), { diff }) }, 17);
    expect(short.slice(-2)).toEqual(['  +line 14', '  … the diff continues']);
  });
});
