import { expect, it } from '@jest/globals';
import { boundFiles } from './bound-files.js';

const named = (command: string) => boundFiles(command).map(({ path, use }) => `${use} ${path}`);

it.each<[string, readonly string[]]>([
  ["ssh nas 'bash -s' < s.sh", ['feeds s.sh']],
  ['rm -r build && ./fmt.sh', ['names build', 'runs ./fmt.sh']],
  ['bash -e fmt.sh', ['runs fmt.sh']],
  ['python3 -m tools.clean', ['runs tools.clean', 'runs tools/clean.py']],
  ['make -C sub clean', ['runs GNUmakefile', 'runs sub/GNUmakefile', 'runs sub/Makefile']],
  ['cd sub && make', ['runs sub/GNUmakefile']],
  ['git commit -m x', ['runs .git/hooks/*', 'runs .git/config']],
  ['docker compose up -d', ['runs compose*.y*ml']],
  ['rm -rf /mnt/media/cache/*', ['names /mnt/media/cache/*']],
])('%s', (command, files) => {
  expect(named(command)).toEqual(expect.arrayContaining([...files]));
});

it('is everything where a command names too much, or cannot be read', () => {
  expect(named(`rm ${Array.from({ length: 300 }, (_, n) => `file${n}`).join(' ')}`)).toEqual(['runs .']);
  expect(named(`echo ${'x'.repeat(70_000)}`)).toEqual(['runs .']);
});

it('is nothing for a command that names no file', () => {
  expect(named('date')).toEqual([]);
});
