import { describe, expect, it } from '@jest/globals';
import { namedPaths, pathsApprovedBy } from './named-paths.js';

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

  it.each<[string, readonly string[]]>([
    ['docker rm web', ['web']],
    ['docker container rm web', ['web']],
    ['docker rm -f web', ['web']],
    ['kubectl delete pod web', ['web']],
    ['kubectl -n prod delete pod web db', ['web', 'db']],
    ['kubectl delete -f pod.yml', ['pod.yml']],
    ['ssh nas docker rm web', ['web']],
    ["ssh nas 'rm -rf /srv/logs'", ['/srv/logs']],
    ['git branch -D topic', ['topic']],
    ['git push -q origin --delete topic', ['topic']],
    ['git push ../other.git main', ['../other.git', 'main']],
    ['git rm logs clean', ['logs', 'clean']],
    ['git -C repo clean -fd', ['repo']],
    ['kubectl rollout restart deployment/web -n prod', ['deployment/web']],
    ['aws s3 rm s3://photos/a.jpg', []],
  ])('the paths that `%s` names exclude words that only say what to do', (command, paths) => {
    expect(namedPaths(command)).toEqual(paths);
  });

  it('an approval of a git command covers the branches and tags that it names, but neither hooks nor settings', () => {
    const approved = pathsApprovedBy('cd repo && git branch -D topic && rm logs');
    expect(approved).toEqual(expect.arrayContaining(['repo/topic', 'repo/logs', 'repo/.git/refs/heads/topic']));
    expect(approved.filter((path) => path.includes('.git') && !/\/refs\/.*\/topic$/.test(path))).toEqual([]);
    expect(pathsApprovedBy('git tag -d v1')).toContain('.git/refs/tags/v1');
    expect(pathsApprovedBy('git rm ../../hooks/x * /etc/x').filter((path) => path.includes('.git'))).toEqual([]);
    expect(pathsApprovedBy('rm topic')).toEqual(['topic']);
  });

  it('the paths that a command names exclude the folder that it only works in', () => {
    expect(namedPaths('./fmt.sh . && cd /workspace && make -C /workspace clean')).toEqual(
      expect.not.arrayContaining(['.', '/workspace', '/']),
    );
  });
});
