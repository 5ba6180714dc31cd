import { describe, expect, it } from '@jest/globals';
import { effectsInAll, effectsLine, inAllLines, type Effects } from './effects.js';

const share = (files = 0, bytes = 0) => ({ files, bytes, paths: [] });
const effects = (over: Partial<Effects>): Effects => ({
  created: share(),
  changed: share(),
  deleted: share(),
  complete: true,
  ...over,
});

describe('effects in a line', () => {
  it('says how many files were created, changed and deleted, and how much is gone', () => {
    const all = effects({ created: share(3, 10), changed: share(1, 5), deleted: share(2, 12_000_000) });
    expect(effectsLine(all)).toBe('+3 ~1 −2 files, 12 MB gone');
  });

  it('says nothing of a command that changed nothing', () => {
    expect(effectsLine(effects({}))).toBe('');
  });

  it('says when there was more than could be counted', () => {
    expect(effectsLine(effects({ deleted: share(7, 999_600), complete: false }))).toBe(
      '−7 files, 1.0 MB gone, and more',
    );
    expect(effectsLine(effects({ complete: false }))).toBe('files changed; too many to count');
  });

  it('names one file in the singular', () => {
    expect(effectsLine(effects({ created: share(1, 1) }))).toBe('+1 file');
  });
});

describe('effects of several commands in all', () => {
  const lost = { files: 1, bytes: 1 };
  const held = (verdict: 'waiting' | 'kept' | 'dropped') => ({ verdict, deleted: lost, overwritten: lost, own: null });
  const deleted = (...paths: string[]) => effects({ deleted: { files: paths.length, bytes: 4, paths } });

  it('adds up what counts, names each path once, and leaves out what was rolled back', () => {
    const runs = [
      { effects: deleted('a') },
      {},
      { effects: deleted('a', 'b'), held: held('kept') },
      { effects: deleted('c'), held: held('dropped') },
      { effects: deleted('d'), held: held('waiting') },
    ];
    expect(effectsInAll(runs)).toEqual(effects({ deleted: { files: 3, bytes: 8, paths: ['a', 'b'] } }));
    expect(effectsInAll([{}, { effects: deleted('c'), held: held('dropped') }])).toBeNull();
  });

  it('shows how much in all, and what was deleted and changed', () => {
    const created = { files: 2, bytes: 1, paths: ['new', 'newer'] };
    const changed = { files: 1, bytes: 1, paths: ['old'] };
    const did = effects({ created, changed, deleted: { files: 3, bytes: 8, paths: ['a'] } });
    expect(inAllLines(did)).toEqual([
      'its commands in all: +2 ~1 −3 files, 8 B gone',
      '  − a',
      '  and 2 more deleted',
      '  ~ old',
    ]);
    expect(inAllLines(null)).toEqual([]);
    expect(inAllLines(effects({}))).toEqual([]);
  });
});
