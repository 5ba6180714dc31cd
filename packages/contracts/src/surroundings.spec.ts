import { expect, it } from '@jest/globals';
import { ALL_NAMES, usedNames } from './surroundings.js';
import { surroundingLines } from './surrounding-lines.js';

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
  const uses = [{ name: 'DIR', value: '/srv' }];
  expect(surroundingLines({ folder: '/', variables: [], uses, digest: '' })).toEqual([
    'in /',
    'with DIR=/srv, as earlier commands set it',
  ]);
  expect(surroundingLines(null)).toEqual([]);
});

it('the variables that a command may read are known by name, and all of them where that cannot be told', () => {
  expect(usedNames('rm -rf "$DIR"/*')).toEqual(['DIR']);
  expect(usedNames('rm -rf ${DIR:?}/${!other}')).toEqual(expect.arrayContaining(['DIR', 'other']));
  expect(usedNames('for f in a; do rm "$f"; done')).toEqual(['f']);
  expect(usedNames('(( n > 3 )) && rm f')).toEqual(expect.arrayContaining(['n']));
  expect(usedNames('rm f')).toEqual([]);
  for (const all of ['eval rm x', '. ./x', 'env | sh', Array.from({ length: 300 }, (_, at) => `$a${at}`).join(' ')])
    expect([all, usedNames(all)]).toEqual([all, [ALL_NAMES]]);
});
