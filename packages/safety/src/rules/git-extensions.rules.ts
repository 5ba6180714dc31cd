import { table } from './table.js';

/** Programs of third parties that git runs like its own subcommands. */
export const GIT_EXTENSIONS = table`
rule    git.extension  medium  deletes, rewrites or discards something with a Git extension
why     it changes branches, history or files like Git itself, without asking

program git
  loses   clear|clear-soft|abort|reset-file|fresh-branch|force-clone|squash|reauthor|rebase-patch|psykorebase|graft|merge-repo|sed
  loses   rename-branch|rename-tag|rename-remote|rename-file|cp, gh-pages, ignore-io -r|--replace
  loses   bulk --purge|--removeall|--removeworkspace|--removecurrent, feature|bug|chore|refactor finish, mr|pr clean, sync -f|--force
  loses   flow feature|bugfix|release|hotfix|support delete|finish|rebase, flow config set|base, flow delete|finish
  loses   secret remove|killperson|removeperson|clean|hide, secret hide -d|-F, secret reveal -f|-F
  loses   crypt lock|unlock, lfs untrack|unlock|dedup, lfs push --all|--force
  loses   annex move|dropkey|dead|expire|rekey|reinject, annex --force
  loses   rerere forget|clear, imerge remove|simplify, replace * *
  loses   replace --graft|--edit|--convert-graft-file
  loses   svn reset|gc|set-tree, p4 submit|rebase|unshelve, cvsexportcommit -c|-f|-k, cvsimport|archimport|quiltimport
  loses   credential-cache exit|erase, credential-manager erase|unconfigure, credential-osxkeychain|credential-libsecret|credential-wincred erase
  loses   town kill|delete|ship|prune-branches|rename|rename-branch|compress|sync|undo|swap|detach|merge, town config reset|remove, absorb
  loses   machete delete-unmanaged|slide-out|squash|advance|traverse|update|reapply
  loses   branchless hide|sync|move|undo|reword|restack|amend|gc|submit, hide|reword|restack|amend|uncommit|revise|fixup|autofixup
  loses   bug rm|wipe
  unless  -n|--dry-run
  stops   git clear ; git clear-soft ; git abort ; git bulk --purge ; git mr clean ; git flow feature delete x ; git secret killperson a@b
  stops   git rerere forget a ; git imerge remove ; git credential-cache exit ; git town kill x ; git absorb ; git sed a b ; git replace a b
  passes  git flow feature start x ; git lfs track '*.psd' ; git rerere status ; git annex add a ; git secret tell a@b ; git replace -l
  passes  git effort ; git summary ; git bulk --listall ; git imerge list ; git town hack x ; git secret list

rule    scm.extension  medium  discards work or locks with a version-control tool
why     patches, revisions or checked-out files are lost or replaced

program stg
  loses   delete|pop|undo|redo|reset|clean|squash|sink|float|goto|rebase|repair|uncommit|hide|rename|spill|fold, branch -D|--delete|--cleanup
  stops   stg delete x ; stg pop -a   passes stg series ; stg new x ; stg branch --list
program guilt   loses delete|pop|fold|refresh|rebase|rm   stops guilt pop -a   passes guilt series
program gt   loses delete|fold|squash|move|reorder|split|undo|pop|absorb|modify|restack|rename|sync, submit --force, branch|b delete|fold|squash|rename|unbranch, stack|s submit --force
  stops   gt fold ; gt branch delete x   passes gt log ; gt create x
program sl   loses hide|uncommit|unamend|undo|revert|purge|rm|remove|amend|rebase|histedit|strip|fold|rename|absorb, goto|go -C|--clean, bookmark -d|--delete
  stops   sl hide x ; sl go -C main   passes sl status ; sl smartlog ; sl goto main
program hg
  loses   bookmark|bookmarks|book -d|--delete|-f|--force|-m|--rename, branch -C|--clean|-f, phase -f|--force, shelve -d|--delete|--cleanup, unshelve|backout, tag --remove|-f
  loses   bisect -r|--reset, fold|prune|amend|split|touch|evolve|absorb, topics|topic --clear, qpop|qdelete|qremove|qfinish|qpush|qrefresh|qstrip
  stops   hg bookmark -d x ; hg phase -f -d 5 ; hg qdelete x   passes hg bookmark x ; hg bookmarks ; hg phase
program svn   loses propdel|pdel|pd|propset|pset|ps|propedit|pedit|pe|lock|move|mv|rename|ren|switch|relocate, changelist --remove
  stops   svn propdel svn:ignore . ; svn lock a   passes svn proplist . ; svn propget svn:ignore . ; svn checkout url
program svnadmin   loses rmlocks|rmtxns|unlock|setrevprop|delrevprop|setlog|setuuid|recover|pack|upgrade|load|load-revprops|hotcopy|freeze|lock
  reads   info|lslocks|lstxns|verify   stops svnadmin rmlocks r a ; svnadmin setrevprop r -r 1 a b   passes svnadmin lslocks r ; svnadmin create r
program fossil   loses close|unset|mv|rename, stash drop|rm|goto|apply|pop, branch close|hide, tag cancel, configuration reset|pull|import, user password, uv rm|delete, wiki delete
  stops   fossil close ; fossil stash drop 1   passes fossil stash list ; fossil branch list ; fossil open r
program rcsclean unget rmdel comb   unless -n|--version   loses ...   stops rcsclean a.c   passes rcsclean -n a.c
program sccs   loses unget|clean|rmdel|comb|cdc|delget|fix|edit|unedit|deledit   stops sccs unedit a   passes sccs info ; sccs prs a
program co   loses -f*   stops co -f a.c   passes co a.c ; co -l a.c
program cvs   loses ... rtag|tag -d|-F, ... release|rm|remove|delete|admin|unedit, update|up -C|-A   stops cvs remove a ; cvs release -d x ; cvs up -C   passes cvs status ; cvs log a ; cvs update
program tf tfs   loses ... delete|destroy|undo|undelete|rollback|lock|rename|reconcile|unshelve, ... /delete|/remove|/d   stops tf undo a ; tf workspace /delete x   passes tf status ; tf get
`;
