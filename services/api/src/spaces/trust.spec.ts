import { describe, expect, it } from '@jest/globals';
import { emptySpace } from '@aish/contracts/spaces';
import type { Person } from './space-access.js';
import { checkTrust } from './trust.js';

const decider: Person = { name: 'ann', owner: 'ann', scopes: ['decide'], app: null };
const space = emptySpace('general');

describe('trust in goals and chats', () => {
  it("a person who may give verdicts can give trust, up to the admin's limit", () => {
    expect(() => checkTrust('undoable', 'undoable', decider, space)).not.toThrow();
    expect(() => checkTrust('ask', 'ask', { ...decider, scopes: ['operate'] }, space)).not.toThrow();
    expect(() => checkTrust(undefined, 'ask', { ...decider, scopes: ['operate'] }, space)).not.toThrow();
  });

  it.each([
    ['an admin allows none', 'ask', decider, space, 'trust_not_allowed'],
    ['the token gives no verdicts', 'undoable', { ...decider, scopes: ['operate'] }, space, 'forbidden'],
    ['somebody else gives them in this space', 'undoable', decider, { ...space, deciders: ['bob'] }, 'forbidden'],
  ] as const)('trust is refused if %s', (_where, most, by, where, code) => {
    const deciders = where.deciders === null ? null : [...where.deciders];
    expect(() => checkTrust('undoable', most, by, { ...where, deciders })).toThrow(expect.objectContaining({ code }));
  });
});
