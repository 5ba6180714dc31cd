import { expect, it } from '@jest/globals';
import { surroundingLines } from './surroundings.js';

it('a person reads the folder, and each variable on a line of its own', () => {
  const variables = [
    { name: 'PATH', value: '/workspace/bin:/bin' },
    { name: 'PS4', value: 'a\nb' },
  ];
  expect(surroundingLines({ folder: '/workspace/a\nb', variables, digest: '' })).toEqual([
    'in /workspace/a⟨U+000A⟩b',
    'earlier commands set PATH=/workspace/bin:/bin',
    'earlier commands set PS4=a⟨U+000A⟩b',
    'it runs without that, unless you say otherwise',
  ]);
  expect(surroundingLines({ folder: '/workspace', variables: [], digest: '' })).toEqual(['in /workspace']);
  expect(surroundingLines(null)).toEqual([]);
});
