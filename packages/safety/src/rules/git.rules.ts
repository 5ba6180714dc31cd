import type { Command } from '../shell/command.js';
import { has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

const GIT = ['git'];
const is = (c: Command, ...subcommands: readonly string[]): boolean => subcommands.includes(operands(c)[0] ?? '');
const second = (c: Command): string => operands(c)[1] ?? '';
const dry = (c: Command): boolean => has(c, '--dry-run', '--dry', '-n');

export const GIT_RULES: readonly Rule[] = [
  {
    id: 'git.push-force',
    title: 'rewrites or deletes what is on the server',
    why: 'commits that others may have fetched disappear from the remote',
    severity: 'critical',
    tools: GIT,
    matches: (c) =>
      is(c, 'push') &&
      !dry(c) &&
      (has(c, '-f', '--force', '--force-with-lease', '--force-if-includes', '-d', '--delete', '--mirror', '--prune') ||
        operands(c)
          .slice(2)
          .some((ref) => /^[+:]./.test(ref))),
    stops: [
      'git push --force',
      'git push -f origin main',
      'git push origin main --force-with-lease',
      'git push origin :old',
      'git push origin --delete old',
      'git push origin +main',
      'git -C /srv push --mirror x',
    ],
    passes: [
      'git push',
      'git push -u origin fix-f',
      'git push --force --dry-run',
      'git push -n -f',
      'git push origin a:b',
      'git log --grep "push --force"',
    ],
  },
  {
    id: 'git.reset-hard',
    title: 'throws away changes of the working tree',
    why: 'what was not committed is lost',
    severity: 'high',
    tools: GIT,
    matches: (c) =>
      (is(c, 'reset') &&
        (has(c, '--hard', '--merge', '--keep') ||
          (!has(c, '--soft') && c.args.some((arg) => /^(HEAD|@)([~^]\d*)+$|@\{\d+\}$/.test(arg))))) ||
      (is(c, 'read-tree') && has(c, '--reset', '-u')) ||
      (is(c, 'checkout-index') && has(c, '-f', '--force')),
    stops: ['git reset --hard', 'git reset HEAD~1 --hard', 'git reset HEAD~2', 'git reset --keep x'],
    passes: ['git reset --soft HEAD~1', 'git reset HEAD file', 'git reset'],
  },
  {
    id: 'git.checkout',
    title: 'overwrites files with an older state',
    why: 'changes that were not committed are lost',
    severity: 'high',
    tools: GIT,
    matches: (c) => {
      if (is(c, 'restore'))
        return !(has(c, '-S', '--staged') && !has(c, '-W', '--worktree')) && !has(c, '-p', '--patch');
      if (is(c, 'switch')) return has(c, '-f', '--force', '--discard-changes', '-C', '--force-create');
      if (!is(c, 'checkout', 'co')) return false;
      if (has(c, '-f', '--force', '-B', '--ours', '--theirs')) return true;
      const dashes = c.args.indexOf('--');
      if (dashes !== -1 && dashes < c.args.length - 1) return true;
      if (has(c, '-b', '--orphan', '--detach', '-t', '--track')) return false;
      const names = operands(c).slice(1);
      return (
        names.length > 1 ||
        names.some(
          (name) =>
            name === '.' ||
            name.startsWith('./') ||
            name.endsWith('/') ||
            /^:|[*?]/.test(name) ||
            (/\w\.(\w{1,4}|lock|json|html)$/.test(name) && !/^v?\d/.test(name)),
        )
      );
    },
    stops: [
      'git checkout -- a',
      'git checkout .',
      'git checkout -f main',
      'git checkout HEAD~2 src/a.ts',
      'git restore a',
      'git restore .',
      'git switch -f main',
      'git checkout -B x',
      'git checkout package.json',
    ],
    passes: [
      'git checkout main',
      'git checkout -b new',
      'git restore --staged a',
      'git switch main',
      'git switch -c x',
      'git checkout v1.2.3',
      'git checkout feature/delete-user',
    ],
  },
  {
    id: 'git.clean',
    title: 'deletes files that git does not know',
    why: 'they are in no commit, so nothing brings them back',
    severity: 'high',
    tools: GIT,
    matches: (c) => is(c, 'clean') && !dry(c),
    stops: ['git clean -fd', 'git clean -f', 'git clean -xdf', 'git clean -i'],
    passes: ['git clean -n', 'git clean -nfd', 'git clean --dry-run'],
  },
  {
    id: 'git.delete-ref',
    title: 'deletes a branch, tag or remote',
    why: 'commits that nothing else names can no longer be found',
    severity: 'medium',
    tools: GIT,
    matches: (c) => {
      if (is(c, 'branch'))
        return has(c, '-d', '-D', '--delete', '-M', '-m', '--move', '-f', '--force', '-C', '--unset-upstream');
      if (is(c, 'tag')) return has(c, '-d', '--delete', '-f', '--force');
      if (is(c, 'remote')) return /^(rm|remove|prune|rename|set-url)$/.test(second(c)) && !dry(c);
      if (is(c, 'fetch', 'pull'))
        return has(c, '--prune', '-p', '-P', '--prune-tags', '-f', '--force') && !has(c, '--dry-run');
      if (is(c, 'update-ref')) return has(c, '-d', '--stdin') || operands(c).length > 2;
      if (is(c, 'symbolic-ref')) return has(c, '-d', '--delete') || operands(c).length > 2;
      if (is(c, 'notes')) return /^(remove|prune)$/.test(second(c)) || has(c, '-f');
      if (is(c, 'replace')) return has(c, '-d', '-f');
      return false;
    },
    stops: [
      'git branch -D topic',
      'git branch -d topic',
      'git tag -d v1',
      'git remote remove origin',
      'git fetch --prune',
      'git update-ref -d refs/heads/x',
      'git branch -f main HEAD~3',
    ],
    passes: [
      'git branch',
      'git branch new',
      'git tag v1',
      'git remote -v',
      'git fetch',
      'git branch -a --merged',
      'git remote add o url',
      'git fetch --all --tags',
    ],
  },
  {
    id: 'git.rewrite',
    title: 'rewrites history',
    why: 'commits are replaced by others; the old ones are soon out of reach',
    severity: 'high',
    tools: ['git', 'bfg', 'git-filter-repo'],
    matches: (c) => {
      if (c.name !== 'git') return c.args.length > 0;
      if (is(c, 'rebase')) return !has(c, '--show-current-patch');
      if (is(c, 'commit')) return has(c, '--amend') && !has(c, '--dry-run');
      if (is(c, 'filter-branch', 'filter-repo', 'fast-import')) return true;
      if (is(c, 'reflog')) return /^(expire|delete|drop)$/.test(second(c)) && !dry(c);
      if (is(c, 'gc')) return has(c, '--prune', '--aggressive');
      if (is(c, 'prune', 'prune-packed', 'repack')) return !dry(c) && !(is(c, 'repack') && !has(c, '-d'));
      if (is(c, 'merge', 'cherry-pick', 'am', 'revert')) return has(c, '--abort', '--quit', '--skip');
      return (
        is(c, 'lfs') &&
        /^(prune|migrate|uninstall)$/.test(second(c)) &&
        !dry(c) &&
        !(second(c) === 'migrate' && operands(c)[2] === 'info')
      );
    },
    stops: [
      'git rebase -i HEAD~3',
      'git commit --amend --no-edit',
      'git filter-branch --all',
      'git reflog expire --expire=now --all',
      'git gc --prune=now',
      'git prune',
      'git merge --abort',
      'git lfs prune',
    ],
    passes: [
      'git commit -m x',
      'git merge topic',
      'git gc',
      'git prune -n',
      'git reflog',
      'git lfs ls-files',
      'git cherry-pick x',
      'git log --amend',
    ],
  },
  {
    id: 'git.remove',
    title: 'deletes tracked files or what git keeps beside them',
    why: 'files, stashes or worktrees are deleted',
    severity: 'medium',
    tools: GIT,
    matches: (c) => {
      if (is(c, 'rm')) return !dry(c) && !has(c, '--cached');
      if (is(c, 'stash')) return /^(drop|clear)$/.test(second(c));
      if (is(c, 'worktree')) return /^(remove|prune)$/.test(second(c)) && !dry(c);
      if (is(c, 'submodule')) return second(c) === 'deinit' || (second(c) === 'update' && has(c, '--force', '-f'));
      if (is(c, 'mv')) return has(c, '-f', '--force') && !dry(c);
      if (is(c, 'config'))
        return (
          has(c, '--unset', '--unset-all', '--remove-section', '--rename-section', '--replace-all') ||
          second(c) === 'unset' ||
          (has(c, '--system') && operands(c).length > 2)
        );
      if (is(c, 'sparse-checkout')) return /^(set|init|disable|reapply)$/.test(second(c));
      if (is(c, 'bundle', 'credential')) return /^(erase|reject)$/.test(second(c));
      if (is(c, 'annex')) return /^(drop|dropunused|forget|unannex|uninit)$/.test(second(c));
      return is(c, 'svn')
        ? /^dcommit$/.test(second(c))
        : is(c, 'apply') &&
            !has(c, '--check', '--stat', '--numstat', '--summary', '--cached') &&
            !(c.args.length === 1 && c.input.kind === 'none');
    },
    stops: [
      'git rm a',
      'git rm -r --force dir',
      'git stash drop',
      'git stash clear',
      'git worktree remove x',
      'git submodule deinit x',
      'git config --unset user.name',
      'git apply fix.patch',
    ],
    passes: [
      'git rm --cached a',
      'git rm -n a',
      'git stash',
      'git stash list',
      'git stash pop',
      'git worktree list',
      'git mv a b',
      'git apply --check fix.patch',
      'git config user.name x',
    ],
  },
  {
    id: 'scm.other',
    title: 'throws away work in another version control',
    why: 'changes or revisions are deleted',
    severity: 'medium',
    tools: ['hg', 'svn', 'fossil', 'bzr', 'jj', 'p4', 'repo', 'dvc'],
    matches: (c) =>
      (/^(strip|purge|revert|rollback|remove|rm|delete|del|update --clean|cleanup|forget|abandon|uncommit|histedit|rebase|obliterate|undo|clean|gc|destroy|op undo|op restore|restore|unlock|kill|shun|scrub)\b/.test(
        path(c),
      ) &&
        !dry(c)) ||
      (c.name === 'hg' && is(c, 'update', 'up', 'checkout', 'co') && has(c, '-C', '--clean')) ||
      (c.name === 'hg' && is(c, 'commit', 'ci') && has(c, '--amend')) ||
      (c.name === 'repo' && is(c, 'sync') && has(c, '--force-sync', '-d', '--detach')) ||
      (c.name === 'hg' && is(c, 'push') && has(c, '-f', '--force')) ||
      (c.name === 'jj' && /^git push\b/.test(path(c)) && has(c, '--deleted') && !dry(c)),
    stops: ['jj git push --deleted', 'hg strip 5', 'svn revert -R .', 'hg update -C', 'svn rm x', 'jj abandon'],
    passes: ['hg log', 'svn up', 'svn status', 'jj log'],
  },
];
