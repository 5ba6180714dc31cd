import type { Command } from '../shell/command.js';
import { has, option } from './options.js';
import { isSystem } from './paths.js';
import { table } from './table.js';

export const BACKUPS = table`
rule    backup.delete  critical  deletes backups
why     the copy that you would restore is gone

program restic rustic
  values  -r --repo --repository-file -p --password-file --cacert -o --option --tag --host -H --path --keep-last --keep-hourly
  values  --keep-daily --keep-weekly --keep-monthly --keep-yearly --cache-dir --limit-upload --limit-download --target -t
  dry     -n --dry-run
  help    -h
  complete
  loses   forget|prune -> snapshots, and what only they hold   loses unlock -> the lock of a running backup
  loses   rewrite|migrate|rebuild-index|repair|merge|tag|self-update, key remove|passwd, cache --cleanup
  loses   --remove-source|--overwrite|--delete
  odd     ${restoresInPlace}  a restore into a folder of its own loses nothing
  reads   snapshots|ls|find|stats|check|diff|cat|version|list, key list
  harmless -r --repo --repository-file -p --password-file --cacert -o --option --tag --host -H --path --json --latest --mode -q
  harmless --no-lock --compact -c --group-by -g --read-data --read-data-subset --long -l --recursive --quiet -v --verbose --metadata
  stops   restic forget --keep-last 1 --prune ; restic -r /b prune ; restic unlock ; restic restore latest --target /
  passes  restic snapshots ; restic backup /srv ; restic forget --keep-last 1 --dry-run ; restic check ; restic stats ; restic cache
  passes  restic restore latest --target /tmp/restore
program borg attic
  values  --rsh --remote-path -P --prefix -a --glob-archives --umask --lock-wait --keep-daily --keep-weekly --keep-monthly --keep-last
  dry     -n --dry-run
  help    -h
  complete
  loses   delete|prune -> archives, and what only they hold
  loses   with-lock ... rm|delete, compact|rename|recreate|break-lock|change-passphrase|upgrade|transfer|config, key change-*|import|migrate-*
  loses   extract|restore -> the files that are there now   loses check --repair
  reads   list|info|diff|rinfo|rlist
  harmless --rsh --remote-path -P --prefix -a --glob-archives --last --first --json --json-lines --short --format --sort-by -q -v
  stops   borg delete repo::a ; borg prune --keep-daily 7 repo ; borg extract repo::a ; borg check --repair repo ; borg -v compact repo
  passes  borg list repo ; borg create repo::a /srv ; borg prune -n repo ; borg check repo ; borg info repo
program borgmatic   values -c --config   dry -n --dry-run   help -h
  loses   ... prune|compact|delete|restore|extract|break-lock|borg, --prune
  reads   list|info|rlist|rinfo   stops borgmatic prune ; borgmatic -c a restore --archive x   passes borgmatic create ; borgmatic list
program kopia   help -h   complete
  loses   snapshot|snap delete|fix, blob|manifest|content|index delete|gc|rewrite|optimize, maintenance run, policy set|delete|remove
  loses   repository|repo change-password|disconnect|set-*|repair|upgrade, cache clear|set, restore, snapshot restore, server shutdown
  loses   snapshot|snap expire --delete, user|users delete|set, acl delete
  reads   snapshot|snap list, repository|repo status, policy list|show, blob|content list, diff|list|show, cache info
  harmless --all -a --json --show-identical -l -r
  stops   kopia snapshot delete x ; kopia snapshot expire --all --delete ; kopia restore k /   passes kopia snapshot list
  passes  kopia snapshot expire /home ; kopia snapshot create /srv
program duplicity   dry --dry-run   values --encrypt-key --sign-key --name --archive-dir   complete
  loses   restore, ... remove-*|cleanup --force   reads collection-status|list-current-files
  stops   duplicity remove-older-than 1M --force x ; duplicity restore a b
  passes  duplicity remove-older-than 1M file:///b ; duplicity full a b
program tarsnap   loses -d|--nuke|--fsck-prune   reads --list-archives|--print-stats   stops tarsnap -d -f a   passes tarsnap -c -f a b
program rdiff-backup
  loses   --remove-older-than|--remove-increments-older-than|--force|-r, ... remove|restore|regress
  reads   list|info   stops rdiff-backup --remove-older-than 1M x ; rdiff-backup restore a b   passes rdiff-backup backup a b
program rsnapshot   values -c   dry -t
  loses   -*, *   unless du|diff|configtest|version|help, -v|-V|-D $
  reads   du|configtest   stops rsnapshot daily   passes rsnapshot -t daily ; rsnapshot configtest
program btrbk   dry -n --dry-run   values -c --config
  loses   ... run|prune|clean   reads list|stats|usage   stops btrbk run ; btrbk -c x clean   passes btrbk -n run ; btrbk list
program sanoid   dry --readonly
  loses   --prune-snapshots|--cron|--force-prune   stops sanoid --cron   passes sanoid --take-snapshots
program zfs-auto-snapshot   dry -n --dry-run   loses --keep*   stops zfs-auto-snapshot --keep=4 x   passes zfs-auto-snapshot x
program zfs-prune-snapshots   dry -n --dry-run   loses -*, *   stops zfs-prune-snapshots 1w   passes zfs-prune-snapshots -n 1w
program etckeeper   loses uninit   stops etckeeper uninit   passes etckeeper commit x
program mt   loses ... erase|weof|eof|retension|wset|mkpartition   reads ... status   harmless -f
  stops   mt -f /dev/st0 erase   passes mt -f /dev/st0 status ; mt -f /dev/st0 rewind
program duplicati-cli
  loses   delete|repair|purge|purge-broken-files|compact|restore   stops duplicati-cli repair x   passes duplicati-cli backup a b

rule    sync.delete  high  makes the target equal to the source
why     everything that exists only at the target is deleted or overwritten

program rsync
  values  -e --rsh --exclude --include --filter -f --bwlimit --port --log-file --backup-dir --files-from --exclude-from
  values  --password-file --chmod --chown --partial-dir --max-size --rsync-path
  dry     -n --dry-run --list-only
  loses   --del|--delete|--delete-*|--inplace|--force|--write-devices -> what is only at the target, or was there before
  loses   --remove-source-files|--remove-sent-files -> the source
  odd     ${overwritesSystem}  only the last word is the target
  stops   rsync -av --delete a/ b/ ; rsync -a --remove-source-files a b ; rsync -a etc/ /etc/ ; rsync a h:/etc/
  passes  rsync -av a/ b/ ; rsync -avn --delete a/ b/ ; rsync --dry-run --delete a b ; rsync -ab a /etc/
program rclone
  values  --config --filter --exclude --include --transfers --checkers --bwlimit --log-file --log-level --max-age --min-age --backup-dir
  dry     -n --dry-run
  help    -h
  loses   sync|bisync -> what is only at the target   loses move|moveto -> the source
  loses   delete|deletefile|purge|rmdir|rmdirs|dedupe|cleanup|settier|rcat, config delete|update|disconnect|password
  loses   backend !features|help|stats|lsf|info, rc *delete*|*purge*|*sync*|*move*|*remove*|*stop*|*quit*
  odd     ${copiesOverSystem}  only the last word is the target
  reads   ls|lsl|lsd|lsf|lsjson|tree|size|about|version|listremotes|check|cat, config show|file
  harmless --config --filter --exclude --include --max-age --min-age --max-depth --recursive -R --human-readable --long --json
  stops   rclone sync a: b: ; rclone purge a:x ; rclone move a: b: ; rclone delete x:y ; rclone copy a: /etc ; rclone backend cleanup b:
  passes  rclone ls a: ; rclone copy a: b: ; rclone sync --dry-run a: b: ; rclone lsd x: ; rclone check a: b:
program lftp
  odd     ${tellsLftp}  its commands stand in one word, or in what it is fed
  stops   lftp -e 'mirror -R --delete a b' x ; echo 'rm a' | lftp h   passes lftp -e 'mirror a b' x ; lftp h
program robocopy
  loses   ... /mir|/MIR|/purge|/PURGE|/mov|/MOV|/move|/MOVE   unless ... /l|/L
  stops   robocopy a b /MIR   passes robocopy a b ; robocopy a b /MIR /L
program unison   loses -batch*|-force*|-auto*|-prefer*   stops unison -batch x   passes unison x
program imapsync
  dry     --dry
  loses   --delete*|--expunge1   stops imapsync --host1 a --delete2   passes imapsync --host1 a --host2 b
`;

/** Whether the folder was created to look at restored data, so that it does not contain the live data. */
const isApart = (folder: string): boolean =>
  /^(\/(var\/)?tmp|\/run|\/scratch)\/|restor|recover|scratch|verify|check|preview|(^|[/_.-])(test|new|copy|out|old)([/_.-]|$)/i.test(
    folder,
  ) || /^[\w-]+\/?$/.test(folder);

function restoresInPlace(c: Command, operands: readonly string[]): boolean {
  return operands.includes('restore') && !isApart(option(c, '--target', '-t') ?? '.');
}

const isOverSystem = (operands: readonly string[]): boolean =>
  operands.length > 1 && isSystem((operands.at(-1) ?? '').replace(/^[\w.@-]+:/, ''));

function overwritesSystem(c: Command, operands: readonly string[]): boolean {
  return !has(c, '--ignore-existing', '-b', '--backup') && isOverSystem(operands);
}

function copiesOverSystem(_: Command, operands: readonly string[]): boolean {
  return /^copy(to)?$/.test(operands[0] ?? '') && isSystem(operands.at(-1) ?? '');
}

function tellsLftp(c: Command): boolean {
  return /\b(rm|mrm|rmdir|mirror\b(?![^;]*--dry-run)[^;]*(--delete|-e\b|-R\b|--Remove-source)|put|mput|mv|chmod|glob rm)\b/.test(
    [...c.args, c.input.kind === 'text' ? c.input.text : ''].join(' '),
  );
}
