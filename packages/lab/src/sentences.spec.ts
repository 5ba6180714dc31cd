import { describe, expect, it } from '@jest/globals';
import { findings } from './findings.js';
import { DEFAULT_RULES } from './rules.js';
import { checkedSentences, findingsAsText } from './sentences.js';
import { NOW, history, look } from './testing/lab-fixture.js';

const open = findings(
  history(
    'nas',
    look('nas', NOW, {
      disk: { '/': { used: 94_000, free: 1_000 } },
      unit: { 'nginx.service': { manager: 'systemd', state: 'failed', sub: 'failed' } },
    }),
  ),
  [],
  DEFAULT_RULES,
  NOW,
);
const disk = 'disk-nas-1';
const unit = 'unit-nas-1';

describe('sentences of a model', () => {
  it('a sentence of a model is used if it names existing findings', () => {
    const answer = `nginx failed because / on nas is 98 % full (${disk}, ${unit}).`;
    expect(checkedSentences(answer, open)).toEqual([answer]);
  });

  it.each([
    ['names no finding', 'All is well.'],
    ['names a finding that does not exist', 'The disk of web is full (disk-web-1).'],
    ['names a finding that exists and one that does not', `Both are full (${disk}, disk-web-1).`],
    ['has a number that no fact has', `/ on nas is full since 3 days (${disk}).`],
    ['repeats the facts as the model got them', `The goal: “${findingsAsText(open).split('\n')[0]?.slice(0, 80)}…”`],
    ['is too long', `${'very '.repeat(60)}full (${disk}).`],
  ])('a sentence of a model is dropped if its line %s', (_, answer) => {
    expect(checkedSentences(answer, open)).toEqual([]);
  });

  it('at most twelve sentences of a model are used', () => {
    const answer = Array.from({ length: 20 }, () => `Full: ${disk}.`).join('\n');
    expect(checkedSentences(answer, open)).toHaveLength(12);
  });

  it('a model gets each finding as one line, however long its facts are', () => {
    const long = open.slice(0, 1).map((each) => ({ ...each, sentence: `x\n${'y'.repeat(5_000)}` }));
    expect(findingsAsText(long).split('\n')).toHaveLength(1);
    expect(findingsAsText(long).length).toBeLessThan(700);
  });
});
