import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeHtml } from '../http/page.js';
import { haltOf } from '../testing/decisions.fixture.js';
import { decisionPage } from './decision.page.js';

const decision = haltOf();
const offer = { mayProceed: true };

describe('the page of a decision', () => {
  it('the page of a decision marks the dangerous part of the action, and has a button for each verdict', () => {
    const html = decisionPage(decision, offer);
    expect(html).toContain('HALT goal 7, step 2 of 16');
    expect(html).toContain('ls;<mark>rm -rf</mark> ');
    for (const verdict of ['proceed', 'skip', 'abort']) expect(html).toContain(`value="${verdict}"`);
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
  });

  it('the page of a decision shows every reason and marks the part of the action that it concerns', () => {
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

  it('the page of a decision shows where the command would start, and the variables that earlier commands set', () => {
    const variables = [{ name: 'PATH', value: '/workspace/<bin>' }];
    const executionContext = { folder: '/workspace/proj', variables, digest: 'd' };
    const html = decisionPage(haltOf({ executionContext }), offer);
    expect(html).toContain('<p>in /workspace/proj</p>');
    expect(html).toContain('<p>earlier commands set PATH=/workspace/&#60;bin&#62;</p>');
    expect(html).toContain('value="carried">Proceed with these variables<');
    expect(decisionPage(haltOf({ executionContext }), { mayProceed: false })).not.toContain('value="carried"');
    expect(decisionPage(decision, offer)).not.toContain('value="carried"');
  });

  it('the page of a decision offers the change window if the space has one, and says when it opens', () => {
    const approval = { needed: 1, given: [], author: null, isOpen: false, waitsUntil: null };
    const later = haltOf({ approval: { ...approval, opensAt: '2026-11-28T02:00:00.000Z' } });
    const html = decisionPage(later, offer);
    expect(html).toContain('value="window">Proceed in the change window<');
    expect(html).toContain('the change window opens: 2026-11-28 02:00 UTC');
    expect(decisionPage(later, { mayProceed: false })).not.toContain('value="window"');
    expect(decisionPage(haltOf({ approval: { ...approval, opensAt: null } }), offer)).not.toContain('value="window"');
    expect(decisionPage({ ...later, goalId: null }, offer)).not.toContain('value="window"');
  });

  it('a decision link cannot approve an action that needs several people or someone other than the author', () => {
    const approval = { needed: 1, given: [], author: null, isOpen: null, opensAt: null, waitsUntil: null };
    for (const more of [{ needed: 2 }, { author: 'ann' }]) {
      const html = decisionPage(haltOf({ approval: { ...approval, ...more } }), offer);
      expect(html).not.toMatch(/value="(proceed|window|carried)"/);
      expect(html).toContain('This approval must show who gave it');
      expect(html).toContain('value="skip"');
    }
  });

  it('the page of a decision links to the preview only for a command that has not run yet', () => {
    const link = /open it in aish/;
    expect(decisionPage(decision, offer)).toContain(
      `To preview or edit the command, <a href="../app/#/decisions/d${decision.number}">`,
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

  it('without permission to proceed, the page of a decision has no Proceed button and names NOTIFY_PROCEED', () => {
    const html = decisionPage(decision, { mayProceed: false });
    expect(html).not.toContain('value="proceed"');
    expect(html).toContain('NOTIFY_PROCEED');
  });

  it('the holder of a decision link can answer a question in words', () => {
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

  it('the holder of a decision link sees a request for access and can only refuse it', () => {
    const html = decisionPage(
      haltOf({ kind: 'need', action: 'secret KEY for https://grafana.lan', actionId: null, classification: null }),
      { mayProceed: true },
    );
    expect(html).toContain('NEED goal 7');
    expect(html).toContain('secret KEY for https://grafana.lan');
    expect(html).toContain('a token with scope admin');
    expect(html).not.toContain('value="proceed"');
  });

  it('the page of a decision asks to confirm the button that was tapped', () => {
    const html = decisionPage(decision, { mayProceed: true, chosen: 'skip' });
    expect(html.indexOf('>Yes: Skip<')).toBeLessThan(html.indexOf('>Proceed<'));
    expect(html).toContain('>Yes: Skip<');
  });

  it('the page of a decision shows the codes of hidden characters, inside and outside the mark', () => {
    const action = 'a\u200B \u202Em \u2066z';
    const span: [number, number] = [3, 5];
    const classification = { verdict: 'destructive', reason: 'x', ruleId: 'r', span, by: 'rule' } as const;
    const html = decisionPage(haltOf({ action, classification, reason: '\u202Ex', context: '\u200Dy' }), offer);
    expect(html).toContain('a⟨U+200B⟩ <mark>⟨U+202E⟩m</mark> ⟨U+2066⟩z');
    expect(html).not.toMatch(/[\u200B\u202E\u2066\u200D]/);
  });

  it('text on the page of a decision is never interpreted as HTML', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(escapeHtml(text)).not.toMatch(/[<>"']/)));
  });
});
