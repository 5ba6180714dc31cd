import { expect, it } from '@jest/globals';
import { classify } from './classify.js';
import { onlyDepends } from './depends.js';

it.each([
  'echo hi > new.txt',
  'cat > report.md <<EOF\nhi\nEOF',
  'ls | tee new',
  'mv a new',
  'cp -f a b && sort -o b b',
])('only running it tells whether this destroys anything: %s', (command) => {
  expect(onlyDepends(classify(command))).toBe(true);
});

it.each([
  'rm a',
  'echo hi > new; rm old',
  'sed -i s/a/b/ f',
  'echo x > /dev/sda',
  'echo x >> /etc/hosts',
  'eval "$X" > new',
  'ls > new; $CMD',
  'ls',
])('words alone stop this, or nothing does: %s', (command) => {
  expect(onlyDepends(classify(command))).toBe(false);
});

it('what the user’s own rule stops is stopped, also under the name of one of ours', () => {
  const rules = [
    { id: 'files.move', title: 'no moves', reason: '', commands: ['mv *'], verdict: 'destructive' as const },
  ];
  expect(onlyDepends(classify('mv a b', { rules }), rules)).toBe(false);
});
