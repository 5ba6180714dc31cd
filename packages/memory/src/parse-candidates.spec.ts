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
  ])('parseCandidates parses %j', (line) => {
    expect(one(line)).toEqual({ kind: 'fact', content: 'likes tea' });
  });

  it('parseCandidates accepts the kind "context" and the long name "preference"', () => {
    expect(one('preference: terse answers')?.kind).toBe('pref');
    expect(one('Context: the NAS is called odin')).toEqual({ kind: 'context', content: 'the NAS is called odin' });
  });

  it.each(['Here are the candidates:', 'note: something', 'factory: reset', 'fact:', 'fact', '', 'prefer: x', '---'])(
    'parseCandidates finds no candidate in %j',
    (line) => {
      expect(parseCandidates(line).candidates).toEqual([]);
    },
  );

  it('parseCandidates ignores thoughts and fences, and counts unreadable lines', () => {
    const answer = 'Sure!\n<think>fact: no\npref: no</think>\n```\nfact: yes\n```\nDone.';
    expect(parseCandidates(answer)).toEqual({ candidates: [{ kind: 'fact', content: 'yes' }], unreadable: 2 });
  });

  it('parseCandidates returns at most ten candidates and no duplicates', () => {
    const many = Array.from({ length: 30 }, (_, n) => `fact: number ${n >> 1}`).join('\n');
    expect(parseCandidates(many).candidates.map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, n) => `number ${n}`),
    );
  });

  it('parseCandidates parses any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        for (const { content } of parseCandidates(text).candidates) expect(content.trim()).not.toBe('');
      }),
    );
  });
});
