import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeHtml } from '../http/page.js';
import { haltOf } from '../testing/decisions.fixture.js';
import { decisionPage } from './decision.page.js';

const decision = haltOf();
const offer = { mayProceed: true };

describe('the page of a decision', () => {
  it('shows what the terminal shows, the guilty part marked, and a button for each verdict', () => {
    const html = decisionPage(decision, offer);
    expect(html).toContain('HALT goal 7, step 2 of 16');
    expect(html).toContain('ls;<mark>rm -rf</mark> ');
    for (const verdict of ['proceed', 'skip', 'abort']) expect(html).toContain(`value="${verdict}"`);
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
  });

  it('tells each thing that speaks against it, and marks its place', () => {
    const other = { verdict: 'destructive', reason: 'it wipes <a disk>', ruleId: 'disk.dd' } as const;
    const classification = { ...other, span: [4, 11] as [number, number], by: 'rule' as const, ruleId: 'files.remove' };
    const html = decisionPage(
      haltOf({
        action: 'ls; rm -r a; dd of=b',
        classification: { ...classification, others: [{ ...other, span: [13, 20] }] },
      }),
      offer,
    );
    expect(html).toContain('ls; <mark>rm -r a</mark>; <mark>dd of=b</mark>');
    expect(html).toContain('it wipes &#60;a disk&#62; (disk.dd)');
  });

  it('tells where the command would begin, and what earlier ones set', () => {
    const variables = [{ name: 'PATH', value: '/workspace/<bin>' }];
    const surroundings = { folder: '/workspace/proj', variables, digest: 'd' };
    const html = decisionPage(haltOf({ surroundings }), offer);
    expect(html).toContain('<p>in /workspace/proj</p>');
    expect(html).toContain('<p>earlier commands set PATH=/workspace/&#60;bin&#62;</p>');
    expect(html).toContain('value="carried">Proceed with these variables<');
    expect(decisionPage(haltOf({ surroundings }), { mayProceed: false })).not.toContain('value="carried"');
    expect(decisionPage(decision, offer)).not.toContain('value="carried"');
  });

  it('offers the change window where the space has one to wait for, and tells when it opens', () => {
    const approval = { needed: 1, given: [], author: null, isOpen: false, waitsUntil: null };
    const later = haltOf({ approval: { ...approval, opensAt: '2026-11-28T02:00:00.000Z' } });
    const html = decisionPage(later, offer);
    expect(html).toContain('value="window">Proceed in the change window<');
    expect(html).toContain('the change window opens: 2026-11-28 02:00 UTC');
    expect(decisionPage(later, { mayProceed: false })).not.toContain('value="window"');
    expect(decisionPage(haltOf({ approval: { ...approval, opensAt: null } }), offer)).not.toContain('value="window"');
    expect(decisionPage({ ...later, goalId: null }, offer)).not.toContain('value="window"');
  });

  it('lets nobody run by a link what needs several people, or anybody but the author', () => {
    const approval = { needed: 1, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    for (const more of [{ needed: 2 }, { author: 'ann' }]) {
      const html = decisionPage(haltOf({ approval: { ...approval, ...more } }), offer);
      expect(html).not.toMatch(/value="(proceed|window|carried)"/);
      expect(html).toContain('Who lets this run has to be known');
      expect(html).toContain('value="skip"');
    }
  });

  it('leads to where it can be tried first, and not where that was done already or nothing would run', () => {
    const link = /open it in aish/;
    expect(decisionPage(decision, offer)).toContain(
      `To see first what it would do, or to change it: <a href="../app/#/decisions/d-${decision.number}">`,
    );
    const question = { kind: 'question', actionId: null, classification: null } as const;
    expect(decisionPage(haltOf(question), offer)).not.toMatch(link);
    const none = { files: 0, bytes: 0, paths: [] };
    const effects = { created: none, changed: none, deleted: { files: 1, bytes: 3, paths: ['a'] }, complete: true };
    const held = decisionPage(
      haltOf({ difference: { effects, held: { verdict: 'waiting', deleted: none, overwritten: none, own: null } } }),
      offer,
    );
    expect(held).not.toMatch(link);
  });

  it('has no Proceed where the person did not allow this link to let it run, and says where', () => {
    const html = decisionPage(decision, { mayProceed: false });
    expect(html).not.toContain('value="proceed"');
    expect(html).toContain('NOTIFY_PROCEED');
  });

  it('takes an answer in words to a question from the holder of the link', () => {
    const html = decisionPage(
      haltOf({ kind: 'question', action: 'Which <disk>?', actionId: null, classification: null }),
      {
        mayProceed: false,
      },
    );
    expect(html).toContain('QUESTION goal 7');
    expect(html).toContain('Which &#60;disk&#62;?');
    expect(html).toContain('Your answer');
    expect(html).toContain('value="proceed">Answer<');
    expect(html).not.toContain('NOTIFY_PROCEED');
  });

  it('shows what a model needs to the holder of the link, and takes no more than a no', () => {
    const html = decisionPage(
      haltOf({ kind: 'need', action: 'secret KEY for https://grafana.lan', actionId: null, classification: null }),
      { mayProceed: true },
    );
    expect(html).toContain('NEED goal 7');
    expect(html).toContain('secret KEY for https://grafana.lan');
    expect(html).toContain('with a token of scope admin');
    expect(html).not.toContain('value="proceed"');
  });

  it('asks about the button that was tapped first', () => {
    const html = decisionPage(decision, { mayProceed: true, chosen: 'skip' });
    expect(html.indexOf('>Yes: Skip<')).toBeLessThan(html.indexOf('>Proceed<'));
    expect(html).toContain('>Yes: Skip<');
  });

  it('names characters that nobody sees, within the mark and outside', () => {
    const action = 'a\u200B \u202Em \u2066z';
    const span: [number, number] = [3, 5];
    const classification = { verdict: 'destructive', reason: 'x', ruleId: 'r', span, by: 'rule' } as const;
    const html = decisionPage(haltOf({ action, classification, reason: '\u202Ex', context: '\u200Dy' }), offer);
    expect(html).toContain('a⟨U+200B⟩ <mark>⟨U+202E⟩m</mark> ⟨U+2066⟩z');
    expect(html).not.toMatch(/[\u200B\u202E\u2066\u200D]/);
  });

  it('lets no text become markup', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(escapeHtml(text)).not.toMatch(/[<>"']/)));
  });
});
