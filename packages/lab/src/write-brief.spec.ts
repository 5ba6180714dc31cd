import { describe, expect, it } from '@jest/globals';
import { findings } from './findings.js';
import { readFacts } from './read-facts.js';
import { DEFAULT_RULES } from './rules.js';
import { NOW, history, look, silence } from './testing/lab-fixture.js';
import { writeBrief } from './write-brief.js';

const all = findings(
  history('nas', look('nas', NOW, { disk: { '/': { used: 94_000, free: 1_000 } } })),
  [],
  DEFAULT_RULES,
  NOW,
);

describe('a brief without a model', () => {
  it('a brief without a model has a line for each finding with its ID', () => {
    expect(writeBrief(all, 4)).toEqual([
      '1 thing needs your attention on 4 hosts.',
      'disk-nas-1: / on nas is 98 % full (since 2026-05-30)',
    ]);
  });

  it('a brief names the probes of a host that did not finish', () => {
    const nas = look('nas', NOW);
    const lines = nas.readings.flatMap(({ probe }) => (['disk', 'smart'].includes(probe) ? [] : [`{"probe":"${probe}","done":true}`])); // prettier-ignore
    const slow = { ...nas, readings: readFacts(`${lines.join('\n')}\n`, 'no answer within 10 s') };
    const unknown = 'Not known of nas: disk, smart (no answer within 10 s)';
    expect(writeBrief([], 2, [slow, look('web', NOW), silence('old', NOW)])).toEqual([
      'Looked at 2 hosts, all quiet.',
      unknown,
    ]);
    expect(writeBrief(all, 1, [slow]).at(-1)).toBe(unknown);
  });

  it('a brief without a model counts muted findings without showing them', () => {
    expect(
      writeBrief(
        all.map((each) => ({ ...each, muted: true })),
        4,
      ),
    ).toEqual(['Looked at 4 hosts, all quiet. 1 is muted.']);
  });
});
