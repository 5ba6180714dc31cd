import { describe, expect, it } from '@jest/globals';
import { effectsLine, type Effects } from './effects.js';

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
