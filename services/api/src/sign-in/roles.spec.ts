import { TokenName } from '@aish/contracts/tokens';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { identityOf, type Roles } from './roles.js';

const roles: Roles = { claim: 'groups', admins: ['wheel'], operators: ['family', 'bob'], observers: ['guests'] };

describe('identityOf', () => {
  it.each([
    [{ sub: '1', preferred_username: 'ann', groups: ['wheel', 'family'] }, 'ann', ['admin']],
    [{ sub: '2', preferred_username: 'bob' }, 'bob', ['operate', 'decide']],
    [{ sub: '3', email: 'eve@example.org', groups: 'guests' }, 'eve@example.org', ['observe']],
    [{ sub: '4', preferred_username: 'mallory', groups: ['strangers'] }, 'mallory', []],
    [{ sub: '5', groups: { wheel: true } }, '5', []],
    [{ sub: '6', email: 'bob', email_verified: false }, '6', []],
    [{ sub: '7', preferred_username: 'Jürgen Müller' }, 'Ju-rgen-Mu-ller', []],
  ])('identityOf turns the claims %j into the expected identity', (claims, name, scopes) => {
    expect(identityOf(claims, roles)).toEqual({ name, scopes });
  });

  it('identityOf turns any claims into a valid token name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(TokenName.safeParse(identityOf({ sub: text }, roles).name).success).toBe(true);
      }),
    );
  });
});
