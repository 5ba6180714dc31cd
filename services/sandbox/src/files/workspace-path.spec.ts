import { describe, expect, it } from '@jest/globals';
import { staysInside, workspacePath } from './workspace-path.js';

describe('workspace paths', () => {
  it('relative and absolute paths are normalised to paths in /workspace', () => {
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

  it('a path cannot leave the workspace', () => {
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

describe('links in archives', () => {
  it('a link stays inside its archive if no step of its path leaves the folder', () => {
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
