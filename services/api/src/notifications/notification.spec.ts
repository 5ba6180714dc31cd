import { describe, expect, it } from '@jest/globals';
import type { Decision } from '@aish/contracts/decisions';
import { goalOf, haltOf } from '../testing/decisions.fixture.js';
import { briefNotification, haltNotification } from './notification.js';

const LINK = 'https://aish.example/d/abc';
const labels = (action: string, mayProceed = true, link: string | null = LINK) =>
  haltNotification('n', haltOf({ action }), goalOf(), { link, mayProceed }).buttons.map(({ verdict }) => verdict);

describe('the notification of a HALT', () => {
  it('the notification of a HALT that shows the whole action offers Proceed', () => {
    expect(labels('rm -rf x')).toEqual(['proceed', 'skip', 'abort']);
    expect(labels('x'.repeat(500))).toContain('proceed');
  });

  it('a HALT notification that cannot show the whole action says that it is longer, and offers no Proceed', () => {
    const action = `ls -l ${'# harmless '.repeat(60)}\nrm -rf /workspace/*`;
    expect(labels(action)).toEqual(['skip', 'abort']);
    const notification = haltNotification('n', haltOf({ action }), goalOf(), { link: LINK, mayProceed: true });
    expect(notification.text).toContain('the action is longer than this');
    expect(notification.decision).toMatchObject({ action, isWhole: false });
  });

  it('the notification of a HALT shows the other reasons, and offers no Proceed if they do not fit', () => {
    const other = (n: number) =>
      ({ verdict: 'destructive', reason: `it deletes ${n}`, ruleId: 'r', span: null }) as const;
    const withOthers = (count: number) => {
      const others = Array.from({ length: count }, (_, n) => other(n));
      const classification = { ...other(99), by: 'rule', others } as const;
      const asked = haltOf({ classification: { ...classification, span: null, others: [...others] } });
      return haltNotification('n', asked, goalOf(), { link: LINK, mayProceed: true });
    };
    expect(withOthers(2).text).toContain('and: it deletes 1 (r)');
    expect(withOthers(2).buttons.map(({ verdict }) => verdict)).toContain('proceed');
    expect(withOthers(6).buttons.map(({ verdict }) => verdict)).toEqual(['skip', 'abort']);
  });

  it('the notification of a HALT shows where the command would start, and offers no Proceed if that does not fit', () => {
    const around = (value: string) => {
      const executionContext = { folder: '/workspace/proj', variables: [{ name: 'PATH', value }], digest: 'd' };
      return haltNotification('n', haltOf({ action: 'ls', executionContext }), goalOf(), {
        link: LINK,
        mayProceed: true,
      });
    };
    expect(around('/workspace/bin').text).toContain('in /workspace/proj\nearlier commands set PATH=/workspace/bin');
    expect(around('/workspace/bin').buttons.map(({ verdict }) => verdict)).toContain('proceed');
    expect(around('x'.repeat(400)).buttons.map(({ verdict }) => verdict)).toEqual(['skip', 'abort']);
  });

  it('the notification of a HALT offers no Proceed if the configuration does not allow it', () => {
    expect(labels('rm -rf x', false)).toEqual(['skip', 'abort']);
  });

  it('a notification offers no Proceed for a question, or if the approver must be identified', () => {
    const offered = (more: Partial<Decision>) =>
      haltNotification('n', haltOf(more), goalOf(), { link: LINK, mayProceed: true }).buttons.map(
        ({ verdict }) => verdict,
      );
    const approval = { needed: 1, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    expect(offered({ approval })).toContain('proceed');
    expect(offered({ approval: { ...approval, needed: 2 } })).toEqual(['skip', 'abort']);
    expect(offered({ approval: { ...approval, author: 'ann' } })).toEqual(['skip', 'abort']);
    expect(offered({ kind: 'question', classification: null })).toEqual(['skip', 'abort']);
  });

  it('a notification marks hidden characters and letters of another script in the action and the reason', () => {
    const halt = haltOf({ action: 'rm -rf bu\u0456ld\u034F/*', reason: 'it deletes build\u{E0101}' });
    const notification = haltNotification('n', halt, goalOf(), { link: LINK, mayProceed: true });
    expect(notification.text).toContain('rm -rf bu⟨U+0456⟩ld⟨U+034F⟩/*');
    expect(notification.decision?.reason).toBe('it deletes build⟨U+E0101⟩');
  });

  it('a notification marks invisible characters', () => {
    const notification = haltNotification('n', haltOf({ action: 'ls \u202Exr- mr\u200B' }), goalOf(), {
      link: LINK,
      mayProceed: true,
    });
    expect(notification.text).toContain('ls ⟨U+202E⟩xr- mr⟨U+200B⟩');
    expect(notification.decision).toMatchObject({
      action: 'ls \u202Exr- mr\u200B',
      shown: 'ls ⟨U+202E⟩xr- mr⟨U+200B⟩',
    });
  });
});

describe('the notification of a brief', () => {
  it('the notification of a brief has one line per finding, and escapes Markdown in text from a host', () => {
    const text = '1 thing needs your attention on 2 hosts.\nunit-nas-1: [x](http://evil) on nas has failed';
    expect(briefNotification('n', text, LINK)).toMatchObject({
      kind: 'brief',
      title: 'aish: 1 thing needs your attention on 2 hosts.',
      text: '- unit-nas-1: \\[x\\](http://evil) on nas has failed',
      link: LINK,
    });
  });
});
