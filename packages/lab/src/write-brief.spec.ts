import { describe, expect, it } from '@jest/globals';
import { findings } from './findings.js';
import { DEFAULT_RULES } from './rules.js';
import { NOW, history, look } from './testing/lab-fixture.js';
import { writeBrief } from './write-brief.js';

const all = findings(
  history('nas', look('nas', NOW, { disk: { '/': { used: 94_000, free: 1_000 } } })),
  [],
  DEFAULT_RULES,
  NOW,
);

describe('a brief without a model', () => {
  it('has a line for each finding with its id', () => {
    expect(writeBrief(all, 4)).toEqual([
      '1 thing needs your eyes on 4 hosts.',
      'disk-nas-1: / on nas is 98 % full (since 2026-05-30)',
    ]);
  });

  it('counts what is muted, and does not show it', () => {
    expect(
      writeBrief(
        all.map((each) => ({ ...each, muted: true })),
        4,
      ),
    ).toEqual(['Looked at 4 hosts, all quiet. 1 is muted.']);
  });
});
