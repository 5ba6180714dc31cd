import { exact, has, operands, option, path } from './arguments.js';
import { isSystem } from './paths.js';
import type { Rule } from './rule.js';

/** A folder that was made to look at what is restored, not the place where the data live. */
const isApart = (folder: string): boolean =>
  /^(\/(var\/)?tmp|\/run|\/scratch)\/|restor|recover|scratch|verify|check|preview|(^|[/_.-])(test|new|copy|out|old)([/_.-]|$)/i.test(
    folder,
  ) || /^[\w-]+\/?$/.test(folder);

export const BACKUPS: readonly Rule[] = [
  {
    id: 'backup.delete',
    title: 'deletes backups',
    why: 'the copy that one would go back to is gone',
    severity: 'critical',
    tools: [
      'restic',
      'borg',
      'borgmatic',
      'kopia',
      'duplicity',
      'duplicati-cli',
      'tarsnap',
      'bacula',
      'bconsole',
      'rdiff-backup',
      'duplicacy',
      'bup',
      'rustic',
      'backrest',
      'autorestic',
      'resticprofile',
      'vorta',
      'hb',
      'attic',
      'zbackup',
      'sanoid',
      'zfs-prune-snapshots',
      'zfs-auto-snapshot',
      'zrepl',
      'backy',
      'burp',
      'amanda',
      'urbackupclientctl',
      'veeamconfig',
      'dirvish-expire',
      'rsnapshot',
      'btrbk',
      'proxmox-backup',
      'etckeeper',
      'mt',
    ],
    matches: (c) => {
      const text = path(c);
      if (c.name === 'restic' || c.name === 'rustic' || c.name === 'autorestic' || c.name === 'resticprofile')
        return (
          (/\b(forget|prune|unlock|rewrite|migrate|rebuild-index|repair|merge|tag|self-update)\b|\bkey (remove|passwd)|\bcache\b/.test(
            text,
          ) &&
            !(/\bcache\b/.test(text) && !exact(c, '--cleanup'))) ||
          exact(c, '--remove-source', '--overwrite', '--delete') ||
          (/\brestore\b/.test(text) && !isApart(option(c, '--target', '-t') ?? '.'))
        );
      if (c.name === 'borgmatic')
        return /\b(prune|compact|delete|restore|extract|break-lock|borg)\b/.test(text) || has(c, '--prune');
      if (c.name === 'sanoid') return exact(c, '--prune-snapshots', '--cron', '--force-prune');
      if (c.name === 'rsnapshot') return !/^(du|diff|configtest|version|help)/.test(text) && c.args.length > 0;
      if (c.name === 'tarsnap') return has(c, '-d', '--nuke', '--fsck-prune');
      if (c.name === 'rdiff-backup')
        return (
          exact(c, '--remove-older-than', '--remove-increments-older-than', '--force', '-r') ||
          /\b(remove|restore|regress)\b/.test(text)
        );
      // Without --delete it says what it would.
      if (c.name === 'kopia' && /\bsnapshot expire\b/.test(text)) return has(c, '--delete');
      if (c.name === 'duplicity')
        return /\brestore\b/.test(text) || (/\b(remove-\S+|cleanup)\b/.test(text) && exact(c, '--force'));
      if (c.name === 'btrbk') return /\b(run|prune|clean)\b/.test(text) && !has(c, '-n', '--dry-run');
      if (c.name === 'zfs-auto-snapshot') return /--keep/.test(c.args.join(' '));
      if (c.name === 'etckeeper') return /\buninit\b/.test(text);
      if (c.name === 'zfs-prune-snapshots') return c.args.length > 0 && !has(c, '-n');
      if (c.name === 'mt') return /\b(erase|weof|eof|retension|wset|mkpartition)\b/.test(text);
      return (
        /\b(delete|prune|purge|compact|rename|recreate|break-lock|change-passphrase|key (change-\S+|import|migrate-\S+)|repair|expire|forget|rm|remove|del|gc|maintenance run|repository (change-password|disconnect|set-\S+)|policy (set|delete|remove)|snapshot (delete|expire|fix)|blob (delete|gc)|extract|restore|upgrade|check --repair|wipeout|retain|transfer|config|set|forget)\b/.test(
          text,
        ) ||
        (/\bcheck\b/.test(text) && exact(c, '--repair'))
      );
    },
    stops: [
      'restic forget --keep-last 1 --prune',
      'restic -r /b prune',
      'borg delete repo::a',
      'borg prune --keep-daily 7 repo',
      'borg compact repo',
      'restic unlock',
      'kopia snapshot delete x',
      'kopia snapshot expire --all --delete',
      'tarsnap -d -f a',
      'duplicity remove-older-than 1M --force x',
      'restic restore latest --target /',
      'borg extract repo::a',
      'borg check --repair repo',
    ],
    passes: [
      'restic snapshots',
      'restic backup /srv',
      'restic forget --keep-last 1 --dry-run',
      'borg list repo',
      'borg create repo::a /srv',
      'borg prune -n repo',
      'borg check repo',
      'restic check',
      'restic restore latest --target /tmp/restore',
      'duplicity remove-older-than 1M file:///b',
      'restic stats',
      'kopia snapshot list',
      'kopia snapshot expire /home',
      'borg info repo',
    ],
  },
  {
    id: 'sync.delete',
    title: 'makes the target equal to the source',
    why: 'what is only at the target is deleted or overwritten',
    severity: 'high',
    tools: [
      'rsync',
      'rclone',
      'unison',
      'lftp',
      'syncoid',
      'lsyncd',
      'mirror',
      'csync2',
      'robocopy',
      'osync',
      'dsync',
      'mbsync',
      'offlineimap',
      'imapsync',
      'rdiff',
      'freefilesync',
      'syncthing',
      's3sync',
      'gcsfuse',
      'fpsync',
      'bsync',
    ],
    matches: (c) => {
      const text = path(c);
      if (c.name === 'rsync') {
        if (
          c.args.some((arg) =>
            /^--(del|delete(-\w+)*|remove-source-files|inplace|force|delete-missing-args|write-devices|remove-sent-files)$/.test(
              arg,
            ),
          )
        )
          return true;
        const target = operands(c).at(-1) ?? '';
        return (
          operands(c).length > 1 &&
          !has(c, '--ignore-existing', '-b', '--backup') &&
          isSystem(target.replace(/^[\w.@-]+:/, ''))
        );
      }
      if (c.name === 'rclone') {
        if (
          /^(sync|move|moveto|delete|deletefile|purge|rmdir|rmdirs|dedupe|cleanup|bisync|settier|config (delete|update|disconnect|password)|backend \S+|rcat|rc \S*(delete|purge|sync|move|remove|stop|quit)\S*)\b/.test(
            text,
          )
        )
          return !/^backend (features|help|stats|lsf|info)/.test(text);
        if (/^(copy|copyto) /.test(text) && isSystem(operands(c).at(-1) ?? '')) return true;
        return false;
      }
      if (c.name === 'lftp')
        return /\b(rm|mrm|rmdir|mirror\b(?![^;]*--dry-run)[^;]*(--delete|-e\b|-R\b|--Remove-source)|put|mput|mv|chmod|glob rm)\b/.test(
          [...c.args, c.input.kind === 'text' ? c.input.text : ''].join(' '),
        );
      if (c.name === 'robocopy')
        return !/(^|\s)\/l(\s|$)/i.test(c.args.join(' ')) && /\/(mir|purge|mov|move)\b/i.test(c.args.join(' '));
      if (c.name === 'unison') return c.args.some((arg) => /^-(batch|force|auto|prefer)/.test(arg));
      if (c.name === 'syncoid')
        return exact(c, '--force-delete', '--delete-target-snapshots', '--no-sync-snap-x') || has(c, '--force-delete');
      if (c.name === 'imapsync')
        return exact(c, '--delete', '--delete1', '--delete2', '--expunge1', '--delete2folders');
      return /delete|purge|reset|remove/.test(c.args.join(' '));
    },
    stops: [
      'rsync -av --delete a/ b/',
      'rsync -a --remove-source-files a b',
      'rclone sync a: b:',
      'rclone purge a:x',
      'rclone move a: b:',
      'lftp -e "mirror -R --delete a b" x',
      'rclone delete x:y',
      'rsync -a etc/ /etc/',
    ],
    passes: [
      'rsync -av a/ b/',
      'rsync -avn --delete a/ b/',
      'rsync --dry-run --delete a b',
      'rclone ls a:',
      'rclone copy a: b:',
      'rclone sync --dry-run a: b:',
      'rclone lsd x:',
      'rclone check a: b:',
    ],
  },
];
