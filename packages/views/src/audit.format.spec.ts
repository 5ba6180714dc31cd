import { AuditAction } from '@aish/contracts/audit';
import { describe, expect, it } from '@jest/globals';
import { auditFacts, auditSentence } from './audit.format.js';

const sentence = (action: AuditAction, subject: string, facts: Record<string, unknown> = {}) =>
  auditSentence({ actor: 'ann', action, subject, facts });

describe('an entry of the audit log', () => {
  it('an audit entry is shown as a sentence with the verdict, the command and the note', () => {
    const facts = { verdict: 'skip', message: 'keep it', action: 'rm -rf build', edited: null, granted: null };
    expect(sentence('verdict.given', 'd3', facts)).toBe('ann skipped d3: `rm -rf build` and wrote “keep it”');
    expect(sentence('verdict.given', 'd4', { ...facts, verdict: 'edit', message: null, edited: 'ls' })).toBe(
      'ann replaced d4: `rm -rf build` with `ls`',
    );
    expect(sentence('action.undone', 'g4', { command: 'rm a', only: true })).toBe('ann undid `rm a` of g4 alone');
    expect(sentence('schedule.removed', 's1', { goal: 'back up' })).toBe('ann removed the schedule s1 of “back up”');
  });

  it('an audit entry of each kind is shown as a sentence, even if a fact is missing', () => {
    for (const action of AuditAction.options) expect(sentence(action, 'it')).toMatch(/^ann [a-z]+ .*/);
  });

  it('an audit entry shows hidden characters of facts, and omits empty facts', () => {
    expect(auditFacts({ facts: { command: 'rm \u202e', message: null, scopes: ['admin'] } })).toEqual([
      ['command', String.raw`rm \u{202e}`],
      ['scopes', '["admin"]'],
    ]);
  });
});
