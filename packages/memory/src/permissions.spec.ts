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
  // As in the design: read, append, replace.
  const MATRIX: [string, MemoryCaller, DocumentScope, [boolean, boolean, boolean]][] = [
    ['user', user, 'user', [true, true, true]],
    ['user', user, 'space', [true, true, true]],
    ['user', user, 'app', [false, false, false]],
    ['app', app('watcher'), 'user', [true, false, false]],
    ['app', app('watcher'), 'space', [true, true, false]],
    ['app', app('watcher'), 'app', [true, true, true]],
  ];
  it.each(MATRIX)('of %s: %j in %s', (_who, caller, scope, expected) => {
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
  it('names what belongs to the caller and nothing else', () => {
    expect(documentKey(user, 'user').key).toBe('user/alice');
    expect(documentKey(user, 'space').key).toBe('space/general');
    expect(documentKey(user, 'space', 'lab').key).toBe('space/lab');
    expect(documentKey(app('watcher'), 'app').key).toBe('app/home/watcher');
    expect(documentKey(app('watcher'), 'space').key).toBe('space/home');
    expect(documentKey(app('other'), 'app').key).toBe('app/home/other');
    expect(documentKey(app('watcher', 'lab'), 'app').key).toBe('app/lab/watcher');
  });

  it('leads an app of two owners to one document, each to that of its own owner', () => {
    const ofBen = { ...app('watcher'), owner: 'ben' };
    expect(documentKey(ofBen, 'app')).toEqual(documentKey(app('watcher'), 'app'));
    expect(documentKey(ofBen, 'user').key).toBe('user/ben');
  });

  it('has no key of another space for an app, and none of an app for a person', () => {
    expect(() => documentKey(app('watcher'), 'space', 'lab')).toThrow(/bound to the space home/);
    expect(() => documentKey(user, 'app')).toThrow(/for that app alone/);
  });
});
