import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCandidates } from './parse-candidates.js';

const one = (line: string) => parseCandidates(line).candidates[0];

describe('parseCandidates', () => {
  it.each([
    'fact: likes tea',
    '- fact: likes tea',
    '* Fact: likes tea',
    '• FACT: likes tea',
    '1. fact: likes tea',
    '2) **fact**: likes tea',
    '(3) **Fact:** likes tea',
    '- **fact: likes tea**',
    '- `fact`: likes tea',
    '[fact] likes tea',
    '(fact) likes tea',
    'fact - likes tea',
    'Fact — likes tea',
    '  -   __fact__:   likes tea  ',
    'fact: "likes tea"',
    '> fact: likes tea',
    '### fact: likes tea',
    'facts: likes tea',
  ])('reads %j', (line) => {
    expect(one(line)).toEqual({ kind: 'fact', content: 'likes tea' });
  });

  it('knows the three kinds and their long names', () => {
    expect(one('preference: terse answers')?.kind).toBe('pref');
    expect(one('Context: the NAS is called odin')).toEqual({ kind: 'context', content: 'the NAS is called odin' });
  });

  it.each(['Here are the candidates:', 'note: something', 'factory: reset', 'fact:', 'fact', '', 'prefer: x', '---'])(
    'makes nothing of %j',
    (line) => {
      expect(parseCandidates(line).candidates).toEqual([]);
    },
  );

  it('leaves thoughts and fences out and counts what it could not read', () => {
    const answer = 'Sure!\n<think>fact: no\npref: no</think>\n```\nfact: yes\n```\nDone.';
    expect(parseCandidates(answer)).toEqual({ candidates: [{ kind: 'fact', content: 'yes' }], unreadable: 2 });
  });

  it('returns at most ten candidates and no duplicates', () => {
    const many = Array.from({ length: 30 }, (_, n) => `fact: number ${n >> 1}`).join('\n');
    expect(parseCandidates(many).candidates.map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, n) => `number ${n}`),
    );
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        for (const { content } of parseCandidates(text).candidates) expect(content.trim()).not.toBe('');
      }),
    );
  });
});
