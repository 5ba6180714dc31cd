import { expect, it } from '@jest/globals';
import { boundFiles } from './bound-files.js';

const named = (command: string) => boundFiles(command).map(({ path, use }) => `${use} ${path}`);

it.each<[string, readonly string[]]>([
  ["ssh nas 'bash -s' < s.sh", ['feeds s.sh']],
  ['rm -r build && ./fmt.sh', ['names build', 'runs ./fmt.sh']],
  ['bash -e fmt.sh', ['runs fmt.sh']],
  ['bash -o errexit fmt.sh', ['runs fmt.sh']],
  ['bash -x fmt.sh data.txt', ['runs fmt.sh', 'names data.txt']],
  ['python3 -W ignore fmt.py out.csv', ['runs fmt.py', 'names out.csv']],
  ['node -r ./hook.js y.js', ['runs hook.js', 'runs y.js']],
  ['deno run -A x.ts', ['runs x.ts']],
  ['awk -f p.awk x', ['runs p.awk', 'names x']],
  ['cat list | xargs rm -f', ['decides list']],
  ['rm -f $(cat list)', ['decides list']],
  ['cd sub && rm -f $(cat list)', ['decides sub/list']],
  ['xargs -a list rm', ['decides list']],
  ['rsync -a --delete --files-from=list a b', ['decides list', 'names a']],
  ['cat s.sh | bash', ['feeds s.sh']],
  ["cat s.sh | ssh nas 'bash -s'", ['feeds s.sh']],
  ['curl -H "Authorization: Bearer $(cat token)" -X DELETE http://nas/x', ['decides token']],
  ['make -f other.mk clean', ['runs other.mk']],
  ['make -fother.mk clean', ['runs other.mk']],
  ['sed -nf p.sed x', ['runs p.sed', 'names x']],
  ['docker compose -f other.yml down', ['runs other.yml']],
  ['kubectl delete -f x.yaml', ['runs x.yaml']],
  ['psql --file=x.sql', ['runs x.sql']],
  ['curl -sK file', ['runs file']],
  ['ansible-playbook site.yml', ['runs site.yml']],
  ['rm -f notes.txt', ['names notes.txt']],
  ['tail -n 5 x.log; docker restart y', ['names x.log']],
  ['python3 -m tools.clean', ['runs tools.clean', 'runs tools/clean.py']],
  ['make -C sub clean', ['runs GNUmakefile', 'runs sub/GNUmakefile', 'runs sub/Makefile']],
  ['cd sub && make', ['runs sub/GNUmakefile']],
  ['git commit -m x', ['runs .git/hooks/*', 'runs .git/config']],
  ['docker compose up -d', ['runs compose*.y*ml']],
  ['rm -rf /mnt/media/cache/*', ['names /mnt/media/cache/*']],
])('an approval of `%s` covers the content of its files', (command, files) => {
  expect(named(command)).toEqual(expect.arrayContaining([...files]));
});

it('an approval of a command that names too many files, or cannot be read, covers its whole folder', () => {
  expect(named(`rm ${Array.from({ length: 300 }, (_, n) => `file${n}`).join(' ')}`)).toEqual(['runs .']);
  expect(named(`echo ${'x'.repeat(70_000)}`)).toEqual(['runs .']);
});

it('an approval of a command that names no file covers no file', () => {
  expect(named('date')).toEqual([]);
});
