import { expect, it } from '@jest/globals';
import { ALL_NAMES, usedNames } from './execution-context.js';
import { executionContextLines } from './execution-context-lines.js';

it('the lines of an execution context show the folder, and each variable on its own line', () => {
  const variables = [
    { name: 'PATH', value: '/workspace/bin:/bin' },
    { name: 'PS4', value: 'a\nb' },
  ];
  expect(executionContextLines({ folder: '/workspace/a\nb', variables, digest: '' })).toEqual([
    'in /workspace/a⟨U+000A⟩b',
    'earlier commands set PATH=/workspace/bin:/bin',
    'earlier commands set PS4=a⟨U+000A⟩b',
    'it runs without earlier variables unless you choose otherwise',
  ]);
  expect(executionContextLines({ folder: '/workspace', variables: [], digest: '' })).toEqual(['in /workspace']);
  const uses = [{ name: 'DIR', value: '/srv' }];
  expect(executionContextLines({ folder: '/', variables: [], uses, digest: '' })).toEqual([
    'in /',
    'with DIR=/srv, as earlier commands set it',
  ]);
  expect(executionContextLines(null)).toEqual([]);
});

it('a card shows the file from which a command takes words, unless it holds secrets', () => {
  const files = [
    { path: '/workspace/list', use: 'decides', bytes: 4, head: 'a b\n' } as const,
    { path: '/workspace/token', use: 'decides', bytes: 32 } as const,
  ];
  expect(executionContextLines({ folder: '/workspace', variables: [], files, digest: '' })).toEqual([
    'in /workspace',
    'it takes words from /workspace/list (4 bytes):',
    '| a b',
    'it takes words from /workspace/token (32 bytes), which aish does not show',
  ]);
});

it('a card shows 20 lines of a script on a host, and the full history shows all lines', () => {
  const head = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
  const script = { host: 'nas', path: '/tidy.sh', content: 'a', bytes: head.length, head, finding: null };
  const executionContext = { folder: '/', variables: [], digest: '', hostFiles: [script] };
  const card = executionContextLines(executionContext);
  expect([card.includes('| line 19'), card.includes('| line 20'), card.at(-1)]).toEqual([
    true,
    false,
    '| … (see more with aish show)',
  ]);
  expect(executionContextLines(executionContext, Infinity).at(-1)).toBe('| line 29');
});

it('usedNames lists the variables that a command may read, or all variables if that is unclear', () => {
  expect(usedNames('rm -rf "$DIR"/*')).toEqual(['DIR']);
  expect(usedNames('rm -rf ${DIR:?}/${!other}')).toEqual(expect.arrayContaining(['DIR', 'other']));
  expect(usedNames('for f in a; do rm "$f"; done')).toEqual(['f']);
  expect(usedNames('(( n > 3 )) && rm f')).toEqual(expect.arrayContaining(['n']));
  expect(usedNames('rm f')).toEqual([]);
  for (const all of ['eval rm x', '. ./x', 'env | sh', Array.from({ length: 300 }, (_, at) => `$a${at}`).join(' ')])
    expect([all, usedNames(all)]).toEqual([all, [ALL_NAMES]]);
});
