import { describe, expect, it } from '@jest/globals';
import type { KnowledgeHit } from '@aish/contracts/knowledge';
import { together } from './together.js';

const hit = (id: string): KnowledgeHit => ({
  id, title: id, summary: '', projects: [], status: 'active', updated: '2026-01-01T00:00:00.000Z', path: '', tags: [], sources: [],
}); // prettier-ignore
const ranking = (trust: number, ...ids: string[]) => ids.map((key) => ({ key, trust }));
const ids = (items: readonly KnowledgeHit[]) => items.map(({ id }) => id).join(' ');

describe('nodes by keywords and by meaning', () => {
  const keywords = { items: ['chance', 'luck'].map(hit), coverage: [0.3, 0.3], relaxed: true };

  it('a node near in meaning comes before nodes with a few of the words', () => {
    const near = ranking(0.2, 'meant', 'next', 'third');
    const words = ranking(0.09, 'chance', 'luck');
    const { items, relaxed } = together(keywords, [words, near], ['meant', 'next', 'third', 'chance', 'luck'].map(hit), 5);
    expect([ids(items), relaxed]).toEqual(['meant next third chance luck', true]);
  }); // prettier-ignore

  it('nodes with all the words come first, in their order', () => {
    const whole = { items: ['b', 'a'].map(hit), coverage: [1, 1], relaxed: false };
    expect(ids(together(whole, [ranking(1, 'x', 'a')], ['x', 'a'].map(hit), 3).items)).toBe('b a x');
  });

  it('a node that the reader may not see takes no place in the result', () => {
    const hidden = ranking(1, 'hidden', 'secret', 'meant');
    expect(ids(together(keywords, [hidden], [hit('meant')], 3).items)).toBe('meant chance luck');
  });

  it('the result is empty if there are no nodes', () => {
    expect(together({ items: [], coverage: [], relaxed: false }, [[]], [], 5)).toEqual({ items: [], relaxed: true });
  });
});
