import { randomUUID } from 'node:crypto';
import type { Decision } from '@aish/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeHtml } from '../http/page.js';
import { decisionPage } from './decision.page.js';

const decision: Decision = {
  id: randomUUID(),
  number: 3,
  sessionId: randomUUID(),
  kind: 'halt',
  goalId: randomUUID(),
  goalNumber: 7,
  goalText: 'tidy <up>',
  actionId: randomUUID(),
  state: 'pending',
  reason: 'it deletes',
  classification: { verdict: 'destructive', reason: 'x', ruleId: 'r', span: [3, 9], by: 'rule' },
  action: 'ls;rm -rf "</pre><script>"',
  request: null,
  stepNumber: 2,
  stepBudget: 16,
  context: '<img src=x>',
  verdict: null,
  message: null,
  answer: null,
  edited: null,
  granted: null,
  expiresAt: null,
  expiryVerdict: null,
  decidedBy: null,
  createdAt: '2026-06-01T12:00:00.000Z',
  decidedAt: null,
};

describe('the page of a decision', () => {
  it('shows what the terminal shows, the guilty part marked, and a button for each verdict', () => {
    const html = decisionPage(decision);
    expect(html).toContain('HALT goal 7, step 2 of 16');
    expect(html).toContain('ls;<mark>rm -rf</mark> ');
    for (const verdict of ['proceed', 'skip', 'abort']) expect(html).toContain(`value="${verdict}"`);
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
  });

  it('has no buttons once it is answered, and says how', () => {
    const html = decisionPage({ ...decision, state: 'decided', verdict: 'skip', decidedBy: 'ann', message: '<b>' });
    expect(html).toContain('Answered: skip, by ann.');
    expect(html).not.toContain('<button');
    expect(html).not.toContain('“<b>');
  });

  it('lets no text become markup', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(escapeHtml(text)).not.toMatch(/[<>"']/)));
  });
});
