import { describe, expect, it } from '@jest/globals';
import type { MemoryCaller } from '@aish/contracts/memory';
import type { DocumentScope } from '@aish/contracts/memory-documents';
import { documentKey } from './document-key.js';
import { checkMayRead, checkMayWrite, scopesFor } from './permissions.js';

const user: MemoryCaller = { owner: 'alice', app: null };
const app = (name: string, space = 'home'): MemoryCaller => ({ owner: 'alice', app: { space, name } });

const may = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

describe('the permission matrix', () => {
  // The last three values of each row say whether the caller may read, append and replace, as in the design.
  const MATRIX: [string, MemoryCaller, DocumentScope, [boolean, boolean, boolean]][] = [
    ['user', user, 'user', [true, true, true]],
    ['user', user, 'space', [true, true, true]],
    ['user', user, 'app', [false, false, false]],
    ['app', app('watcher'), 'user', [true, false, false]],
    ['app', app('watcher'), 'space', [true, true, false]],
    ['app', app('watcher'), 'app', [true, true, true]],
  ];
  it.each(MATRIX)('the caller %s has the right permissions: %j in the scope %s', (_who, caller, scope, expected) => {
    expect([
      may(() => checkMayRead(caller, scope)),
      may(() => checkMayWrite(caller, scope, 'append')),
      may(() => checkMayWrite(caller, scope, 'replace')),
    ]).toEqual(expected);
    expect(scopesFor(caller, 'read').includes(scope)).toBe(expected[0]);
    expect(scopesFor(caller, 'write').includes(scope)).toBe(expected[1]);
  });
});

describe('documentKey', () => {
  it('a document key can only name documents of the caller', () => {
    expect(documentKey(user, 'user').key).toBe('user/alice');
    expect(documentKey(user, 'space').key).toBe('space/general');
    expect(documentKey(user, 'space', 'lab').key).toBe('space/lab');
    expect(documentKey(app('watcher'), 'app').key).toBe('app/home/watcher');
    expect(documentKey(app('watcher'), 'space').key).toBe('space/home');
    expect(documentKey(app('other'), 'app').key).toBe('app/home/other');
    expect(documentKey(app('watcher', 'lab'), 'app').key).toBe('app/lab/watcher');
  });

  it('an app that two owners use has one app document, and a user document for each owner', () => {
    const ofBen = { ...app('watcher'), owner: 'ben' };
    expect(documentKey(ofBen, 'app')).toEqual(documentKey(app('watcher'), 'app'));
    expect(documentKey(ofBen, 'user').key).toBe('user/ben');
  });

  it('an app gets no document key of another space, and a person gets none of an app', () => {
    expect(() => documentKey(app('watcher'), 'space', 'lab')).toThrow(/bound to the space home/);
    expect(() => documentKey(user, 'app')).toThrow(/Only the app itself/);
  });
});
