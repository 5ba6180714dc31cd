import { describe, expect, it } from '@jest/globals';
import type { Decision } from '@aish/contracts/decisions';
import { goalOf, haltOf } from '../testing/decisions.fixture.js';
import { noticeOfBrief, noticeOfHalt } from './notice.js';

const LINK = 'https://aish.example/d/abc';
const labels = (action: string, mayProceed = true, link: string | null = LINK) =>
  noticeOfHalt('n', haltOf({ action }), goalOf(), { link, mayProceed }).buttons.map(({ verdict }) => verdict);

describe('the notice of a HALT', () => {
  it('offers to proceed where it shows the whole action', () => {
    expect(labels('rm -rf x')).toEqual(['proceed', 'skip', 'abort']);
    expect(labels('x'.repeat(500))).toContain('proceed');
  });

  it('offers no Proceed for an action whose end it does not show, and says so', () => {
    const action = `ls -l ${'# harmless '.repeat(60)}\nrm -rf /workspace/*`;
    expect(labels(action)).toEqual(['skip', 'abort']);
    const notice = noticeOfHalt('n', haltOf({ action }), goalOf(), { link: LINK, mayProceed: true });
    expect(notice.text).toContain('not all of it fits here');
    expect(notice.decision).toMatchObject({ action, isWhole: false });
  });

  it('tells what else speaks against it, and offers no Proceed where that is more than it holds', () => {
    const other = (n: number) =>
      ({ verdict: 'destructive', reason: `it deletes ${n}`, ruleId: 'r', span: null }) as const;
    const withOthers = (count: number) => {
      const others = Array.from({ length: count }, (_, n) => other(n));
      const classification = { ...other(99), by: 'rule', others } as const;
      const asked = haltOf({ classification: { ...classification, span: null, others: [...others] } });
      return noticeOfHalt('n', asked, goalOf(), { link: LINK, mayProceed: true });
    };
    expect(withOthers(2).text).toContain('and: it deletes 1 (r)');
    expect(withOthers(2).buttons.map(({ verdict }) => verdict)).toContain('proceed');
    expect(withOthers(6).buttons.map(({ verdict }) => verdict)).toEqual(['skip', 'abort']);
  });

  it('tells where the command would begin, and offers no Proceed where that is more than it holds', () => {
    const around = (value: string) => {
      const surroundings = { folder: '/workspace/proj', variables: [{ name: 'PATH', value }], digest: 'd' };
      return noticeOfHalt('n', haltOf({ action: 'ls', surroundings }), goalOf(), { link: LINK, mayProceed: true });
    };
    expect(around('/workspace/bin').text).toContain('in /workspace/proj\nearlier commands set PATH=/workspace/bin');
    expect(around('/workspace/bin').buttons.map(({ verdict }) => verdict)).toContain('proceed');
    expect(around('x'.repeat(400)).buttons.map(({ verdict }) => verdict)).toEqual(['skip', 'abort']);
  });

  it('offers no Proceed where the person did not allow it', () => {
    expect(labels('rm -rf x', false)).toEqual(['skip', 'abort']);
  });

  it('offers no Proceed where it matters who lets it run, nor to a question, which wants words', () => {
    const offered = (more: Partial<Decision>) =>
      noticeOfHalt('n', haltOf(more), goalOf(), { link: LINK, mayProceed: true }).buttons.map(({ verdict }) => verdict);
    const approval = { needed: 1, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    expect(offered({ approval })).toContain('proceed');
    expect(offered({ approval: { ...approval, needed: 2 } })).toEqual(['skip', 'abort']);
    expect(offered({ approval: { ...approval, author: 'ann' } })).toEqual(['skip', 'abort']);
    expect(offered({ kind: 'question', classification: null })).toEqual(['skip', 'abort']);
  });

  it('shows hidden characters and letters of another script in the action and the reason', () => {
    const halt = haltOf({ action: 'rm -rf bu\u0456ld\u034F/*', reason: 'it deletes build\u{E0101}' });
    const notice = noticeOfHalt('n', halt, goalOf(), { link: LINK, mayProceed: true });
    expect(notice.text).toContain('rm -rf bu⟨U+0456⟩ld⟨U+034F⟩/*');
    expect(notice.decision?.reason).toBe('it deletes build⟨U+E0101⟩');
  });

  it('shows characters that nobody sees', () => {
    const notice = noticeOfHalt('n', haltOf({ action: 'ls \u202Exr- mr\u200B' }), goalOf(), {
      link: LINK,
      mayProceed: true,
    });
    expect(notice.text).toContain('ls ⟨U+202E⟩xr- mr⟨U+200B⟩');
    expect(notice.decision).toMatchObject({ action: 'ls \u202Exr- mr\u200B', shown: 'ls ⟨U+202E⟩xr- mr⟨U+200B⟩' });
  });
});

describe('the notice of a brief', () => {
  it('has a line for each finding, and what a host says is no Markdown there', () => {
    const text = '1 thing needs your eyes on 2 hosts.\nunit-nas-1: [x](http://evil) on nas has failed';
    expect(noticeOfBrief('n', text, LINK)).toMatchObject({
      kind: 'brief',
      title: 'aish: 1 thing needs your eyes on 2 hosts.',
      text: '- unit-nas-1: \\[x\\](http://evil) on nas has failed',
      link: LINK,
    });
  });
});
