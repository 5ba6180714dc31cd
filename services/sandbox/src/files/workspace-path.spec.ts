import { describe, expect, it } from '@jest/globals';
import { staysInside, workspacePath } from './workspace-path.js';

describe('a path in the workspace', () => {
  it('is whole, however it was written', () => {
    const paths = {
      '': '',
      '.': '',
      a: '/a',
      './a//b/': '/a/b',
      '/workspace': '',
      '/workspace/a': '/a',
      'a b/é': '/a b/é',
    };
    for (const [written, whole] of Object.entries(paths))
      expect([written, workspacePath(written)]).toEqual([written, `/workspace${whole}`]);
  });

  it('leads nowhere else', () => {
    for (const path of [
      '/etc/passwd',
      '/',
      '/workspaces/a',
      '..',
      'a/../../b',
      '/workspace/../etc',
      'a\0b',
      'x'.repeat(4097),
    ])
      expect(() => workspacePath(path)).toThrow(expect.objectContaining({ code: 'path_not_allowed' }));
  });
});

describe('a link in an archive', () => {
  it('stays inside when no step of it leaves the folder', () => {
    const inside: readonly [string[], string][] = [
      [[], 'a'],
      [['a'], '../b'],
      [['a', 'b'], '../../c'],
      [[], './a/../b'],
    ];
    const outside: readonly [string[], string][] = [
      [[], '..'],
      [['a'], '../../b'],
      [[], '/etc'],
      [['a'], '../../a/b'],
      [[], 'a/../../b'],
    ];
    for (const [from, target] of inside)
      expect([from, target, staysInside(from, target)]).toEqual([from, target, true]);
    for (const [from, target] of outside)
      expect([from, target, staysInside(from, target)]).toEqual([from, target, false]);
  });
});
