import { describe, expect, it } from '@jest/globals';
import { namedPaths } from './named-paths.js';

describe('the paths that a command names', () => {
  it.each<[string, readonly string[]]>([
    ['rm -rf build', ['build']],
    ['rm -rf build/* -- logs/a.log', ['build/*', 'logs/a.log']],
    ['rm -r build && ./fmt.sh', ['build']],
    ['cd tmpbuild && rm -rf ./*', ['tmpbuild/*']],
    ['cd a; cd ../b; rm c', ['b/c']],
    ['cd; rm c', []],
    ['cd "$x" && rm c', []],
    ['echo x > config.yml', ['x', 'config.yml']],
    ['dd if=/dev/zero of=disk.img', ['disk.img']],
    ['rm -rf ~/*', []],
    ['rm -rf "$HOME"/logs', []],
    ['rm -rf $(cat list)', ['list']],
    ['make -C . clean', ['clean']],
    ['make clean', ['clean']],
    ['find . -name "*.tmp" -delete', ['.', '*.tmp']],
    ['curl -d @report.txt http://example.org/logs', ['report.txt']],
    ['sh -c "rm -rf logs"', ['logs']],
    ['rm "', []],
  ])('the paths that `%s` names are listed', (command, paths) => {
    expect(namedPaths(command)).toEqual(expect.arrayContaining([...paths]));
    if (paths.length === 0) expect(namedPaths(command)).toEqual([]);
  });

  it('the paths that a command names exclude the folder that it only works in', () => {
    expect(namedPaths('./fmt.sh . && cd /workspace && make -C /workspace clean')).toEqual(
      expect.not.arrayContaining(['.', '/workspace', '/']),
    );
  });
});
