import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { table } from './table.js';

export const GIT_RULES = table`
rule    git.push-force  critical  rewrites or deletes what is on the server
why     commits that others may have fetched disappear from the remote

program git
  values  -C -c --git-dir --work-tree --namespace --exec-path -m --message -b -B -u -o --author --date --onto -s
  values  --strategy -X
  help    -h
  complete
  loses   push -f|--force|--force-with-lease|--force-if-includes|-d|--delete|--mirror|--prune, push * ... +*|:*
  unless  push --dry-run|--dry|-n
  reads   status|log|diff|show|blame|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|cat-file|grep|whatchanged|name-rev
  reads   merge-base|count-objects|for-each-ref|var|check-ignore|check-attr|show-ref|cherry|range-diff|diff-tree|diff-index|diff-files
  reads   verify-commit|verify-tag|fsck|version|help, stash list|show, remote $, remote show|get-url, branch !-u|--set-upstream-to $
  reads   ls-remote $, ls-remote !ext::*, tag $, branch|tag --list|-l, worktree list, config list|get, config --list|--get|-l, reflog $
  reads   reflog show, submodule status, bisect log, notes list|show
  harmless -a -b -e -h -i -l -n -p -q -r -s -t -u -v -w -z -A -B -E -F -I -L -M -S -U -W --all --author --branch
  harmless --branches --cached --cc --color* --column --count --date --decorate* --diff-filter --exclude-standard
  harmless --exit-code --first-parent --follow --format --full-history --graph --grep --heads --ignore-case
  harmless --left-right --line-number --list --long --max-count --merged --merges --name-only --name-status
  harmless --no-* --numstat --oneline --others --patch --porcelain --pretty --quiet --remotes --reverse --short
  harmless --shortstat --show-toplevel --abbrev* --since --until --sort --staged --stat --summary
  harmless --symbolic-full-name --tags --untracked-files --unified --verbose --verify --word-diff -C --git-dir
  harmless --work-tree --always --show-current --ignored --unreachable -d -H --batch* --full --objects --show-origin --show-scope
  stops   git push --force ; git push --forc ; git push -f origin main ; git push origin main --force-with-lease
  stops   git push origin :old ; git push origin --delete old ; git push origin +main ; git -C /srv push --mirror x
  passes  git push ; git push -u origin fix-f ; git push --force --dry-run ; git push -n -f ; git push origin a:b
  passes  git log --grep "push --force"

rule    git.reset-hard  high  discards changes in the working tree
why     uncommitted changes are lost

program git
  loses   reset --hard|--merge|--keep, read-tree --reset|-u|--index-output, checkout-index -f|--force
  loses   reset !--soft ... HEAD~*|HEAD^*|@~*|@^*|*@{*}
  stops   git reset --hard ; git reset HEAD~1 --hard ; git reset HEAD~2 ; git reset --keep x
  passes  git reset --soft HEAD~1 ; git reset HEAD file ; git reset

rule    git.checkout  high  overwrites files with an older state
why     uncommitted changes are lost

program git
  loses   init|init-db --separate-git-dir
  loses   restore !-S|--staged !-p|--patch, restore -W|--worktree !-p|--patch
  loses   switch -f|--force|--discard-changes|-C|--force-create
  loses   checkout|co -f|--force|-B|--ours|--theirs, checkout|co !-b|--orphan|--detach|-t|--track * *
  odd     ${overwritesFiles}  a name is a branch or a file: what looks like a path is one
  stops   git checkout -- a ; git checkout . ; git checkout -f main ; git checkout HEAD~2 src/a.ts ; git restore a ; git init --separate-git-dir=../x.git
  stops   git restore . ; git switch -f main ; git checkout -B x ; git checkout package.json ; git checkout -m README.md ; git co -qm a.ts
  passes  git checkout main ; git checkout -b new ; git restore --staged a ; git switch main ; git switch -c x
  passes  git checkout v1.2.3 ; git checkout feature/delete-user ; git checkout -m main

rule    git.clean  high  deletes files that Git does not track
why     they are in no commit, so they cannot be restored

program git
  loses   clean !-n|--dry-run|--dry
  stops   git clean -fd ; git clean -f ; git clean -xdf ; git clean -i
  passes  git clean -n ; git clean -nfd ; git clean --dry-run

rule    git.delete-ref  medium  deletes a branch, tag or remote
why     commits that nothing else refers to can no longer be found

program git
  loses   branch -d|-D|--delete|-M|-m|--move|-f|--force|-C|--unset-upstream, tag -d|--delete|-f|--force
  loses   remote rm|remove|prune|rename|set-url !-n|--dry-run
  loses   fetch|pull !--dry-run --prune|-p|-P|--prune-tags|-f|--force
  loses   update-ref -d|--stdin, update-ref * *, symbolic-ref -d|--delete, symbolic-ref * *, notes remove|prune
  loses   notes -f, replace -d|--delete|-f|--force, undo|obliterate|unpublish|delete-*, fetch|pull !--dry-run ... +*:*
  stops   git fetch . +main:topic ; git branch -D topic ; git branch -d topic ; git tag -d v1 ; git remote remove origin ; git fetch --prune
  stops   git update-ref -d refs/heads/x ; git branch -f main HEAD~3 ; git replace --delete HEAD ; git delete-branch x ; git undo 2
  passes  git branch ; git branch new ; git tag v1 ; git remote -v ; git fetch ; git branch -a --merged
  passes  git remote add o url ; git fetch --all --tags

rule    git.rewrite  high  rewrites history
why     commits are replaced by others; the old ones are soon out of reach

program git
  loses   rebase !--show-current-patch, commit --amend !--dry-run, filter-branch|filter-repo|fast-import
  loses   merge|cherry-pick|am|revert --abort|--quit|--skip
  loses   reflog expire|delete|drop !-n|--dry-run, gc --prune|--aggressive, prune|prune-packed !-n|--dry-run
  loses   repack -d !-n
  loses   lfs prune|uninstall !--dry-run|-n, lfs migrate import|export !--dry-run, lfs migrate $
  stops   git rebase -i HEAD~3 ; git commit --amend --no-edit ; git filter-branch --all
  stops   git reflog expire --expire=now --all ; git gc --prune=now ; git prune ; git merge --abort ; git lfs prune
  passes  git commit -m x ; git merge topic ; git gc ; git prune -n ; git reflog ; git lfs ls-files
  passes  git cherry-pick x ; git log --amend

program bfg git-filter-repo   loses -*, *   stops bfg --strip-blobs-bigger-than 1M   passes bfg --help

rule    git.write-file  medium  overwrites a file with the output of Git
why     the file is emptied first

program git
  loses   log|diff|show|reflog|shortlog|whatchanged|diff-files|diff-index|diff-tree|range-diff|format-patch|stash --output
  loses   merge-file !-p|--stdout, fast-export --export-marks, mailinfo * *, daemon --pid-file
  stops   git diff --output=f ; git log -p --output f ; git diff --no-index --output=f a b ; git merge-file a b c
  passes  git diff ; git log -p ; git merge-file -p a b c ; git format-patch -1

rule    git.remove  medium  deletes tracked files, stashes or worktrees
why     files, stashes or worktrees are deleted

program git
  loses   rm !-n|--dry-run|--cached, stash drop|clear, worktree remove|prune !-n|--dry-run, submodule deinit
  loses   submodule update --force|-f
  loses   mv -f|--force !-n|--dry-run, config --unset|--unset-all|--remove-section|--rename-section|--replace-all
  loses   instaweb --stop, maintenance unregister, config unset, config --system * *
  loses   sparse-checkout set|init|disable|reapply, bundle|credential erase|reject, credential-store store|erase, credential-store * ... store|erase
  loses   annex drop|dropunused|forget|unannex|uninit, svn dcommit !-n|--dry-run
  odd     ${appliesPatch}  without words it reads its input: nothing where there is none
  stops   git rm a ; git rm -r --force dir ; git stash drop ; git stash clear ; git worktree remove x
  stops   git instaweb --stop ; git maintenance unregister ; git submodule deinit x ; git config --unset user.name ; git apply fix.patch
  passes  git rm --cached a ; git rm -n a ; git stash ; git stash list ; git stash pop ; git worktree list
  passes  git mv a b ; git apply --check fix.patch ; git config user.name x

rule    scm.other  medium  discards work in another version-control system
why     changes or revisions are deleted

program hg
  dry     -n --dry-run
  abbreviates subcommands
  loses   strip|purge|revert|rollback|remove|rm|histedit|rebase|uncommit|abandon|rename|move
  loses   update|up|checkout|co -C|--clean, commit|ci --amend, push -f|--force
  makes   add|clone|commit|ci|push|pull|update|checkout|merge|init|tag|bookmark|resolve|import|export|graft|shelve|copy
  reads   log|status|st|diff|cat|heads|parents|tip|identify|id|summary|annotate|blame|branches|tags|paths|root|files|manifest
  harmless -r -l -p -v -q -G --rev --limit --patch --template -T --stat --graph
  stops   hg strip 5 ; hg update -C ; hg rev --all ; hg commit --amend
  passes  hg log ; hg up ; hg com -m x

program svn
  loses   revert|remove|rm|delete|del|cleanup|unlock
  reads   status|st|log|info|diff|list|ls|cat|blame
  harmless -v -r -l -q --stop-on-copy --xml
  stops   svn revert -R . ; svn rm x
  passes  svn up ; svn status

program jj
  abbreviates subcommands
  loses   abandon|undo|restore|rebase|edit, op undo|restore|abandon, operation undo|restore|abandon
  loses   bookmark|branch delete|forget|move|set|rename, tag delete, workspace forget
  loses   git push --deleted !--dry-run|-n
  makes   new|commit|describe|squash|split|absorb|duplicate|next|prev|resolve|config|git|init
  makes   bookmark create|track|untrack, tag set, workspace add, git push|fetch|clone|init|import|export|remote
  reads   log|status|st|show|diff|root|version|evolog|interdiff, op|operation log|show, bookmark|tag|workspace list
  harmless -r -n -p -s -T --revisions --limit --stat --no-pager --template
  stops   jj git push --deleted ; jj abandon ; jj tag d v1 ; jj op und ; jj bookmark del x
  passes  jj log ; jj new ; jj tag list ; jj desc -m x

program fossil
  loses   revert|rm|delete|undo|clean|scrub|purge|shun, update --clean
  reads   status|timeline|info|diff|ls|finfo
  stops   fossil clean ; fossil revert a
  passes  fossil status ; fossil commit -m x

program p4
  loses   revert|delete|obliterate|clean|unlock
  reads   info|opened|changes|files|filelog|describe|diff
  stops   p4 obliterate -y //x
  passes  p4 opened ; p4 sync

program bzr   loses revert|remove|rm|uncommit   reads status|log|diff|info   stops bzr uncommit   passes bzr log

program repo
  loses   abandon|gc, sync --force-sync|-d|--detach
  reads   status|diff|info|list
  stops   repo sync --force-sync ; repo abandon x
  passes  repo sync ; repo status

program dvc
  dry     --dry --dry-run -n
  loses   remove|destroy|gc|purge
  reads   status|diff|list
  stops   dvc gc -w ; dvc destroy
  passes  dvc pull ; dvc status
`;

/**
 * Whether `git checkout` overwrites files. In `git checkout NAME`, the name is a branch or a file. Everything after
 * `--` is a file.
 */
function overwritesFiles(c: Command, [verb, name = '']: readonly string[]): boolean {
  if (verb !== 'checkout' && verb !== 'co') return false;
  const dashes = c.args.indexOf('--');
  if (dashes !== -1 && dashes < c.args.length - 1) return true;
  if (has(c, '-b', '--orphan', '--detach', '-t', '--track')) return false;
  // `git branch -m` takes no value, unlike `git commit -m`. The name follows it as an operand.
  const merged = c.args.findIndex((arg) => /^-[a-zA-Z]*m$/.test(arg));
  return isLikePath(name) || (merged !== -1 && isLikePath(c.args[merged + 1] ?? ''));
}

function isLikePath(name: string): boolean {
  return /^\.$|^\.\/|\/$|^:|[*?]/.test(name) || (/\w\.(\w{1,4}|lock|json|html)$/.test(name) && !/^v?\d/.test(name));
}

function appliesPatch(c: Command, [verb]: readonly string[]): boolean {
  if (verb !== 'apply' || has(c, '--check', '--stat', '--numstat', '--summary', '--cached')) return false;
  return c.args.length > 1 || c.input.kind !== 'none';
}
