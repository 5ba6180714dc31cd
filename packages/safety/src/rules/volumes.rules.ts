import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const VOLUMES: readonly Rule[] = [
  {
    id: 'zfs.destroy',
    title: 'destroys or rolls back a dataset',
    why: 'datasets and snapshots that ZFS destroys are gone at once',
    severity: 'critical',
    tools: ['zfs'],
    matches: (c) =>
      /^(destroy|rollback|rename|promote|unmount|umount|unshare|inherit|set|upgrade|change-key|unload-key|unallow|release|allow|project|redact|bookmark-destroy)\b/.test(
        path(c),
      ) ||
      (/^(receive|recv)\b/.test(path(c)) && has(c, '-F', '-A')) ||
      (/^mount\b/.test(path(c)) && has(c, '-O')),
    stops: [
      'zfs destroy tank/data',
      'zfs destroy -r tank@old',
      'zfs rollback -r tank@a',
      'zfs recv -F tank/x',
      'zfs set compression=off tank',
      'zfs unmount tank',
      'zfs rename a b',
    ],
    passes: [
      'zfs list',
      'zfs destroy -nv tank/data',
      'zfs snapshot tank@a',
      'zfs get all tank',
      'zfs create tank/x',
      'zfs send tank@a',
      'zfs recv backup/x',
      'zfs diff tank@a',
    ],
  },
  {
    id: 'zpool.destroy',
    title: 'changes or destroys a pool',
    why: 'all datasets of the pool are lost or put at risk',
    severity: 'critical',
    tools: ['zpool'],
    matches: (c) =>
      /^(destroy|labelclear|remove|detach|offline|export|replace|split|clear|set|add|attach|initialize|trim|reguid|reopen|checkpoint|create)\b/.test(
        path(c),
      ) ||
      (/^upgrade\b/.test(path(c)) && (has(c, '-a') || operands(c).length > 1)) ||
      (/^import\b/.test(path(c)) &&
        has(c, '-F', '-X', '-D', '-f') &&
        (has(c, '-a') || operands(c).some((word) => word !== 'import'))) ||
      (/^scrub\b/.test(path(c)) && has(c, '-s')),
    stops: [
      'zpool destroy tank',
      'zpool labelclear -f /dev/sdb',
      'zpool remove tank sdb',
      'zpool export tank',
      'zpool replace tank a b',
      'zpool create -f tank /dev/sdb',
      'zpool import -F tank',
      'zpool upgrade -a',
      'zpool import -D tank',
    ],
    passes: [
      'zpool status',
      'zpool list -v',
      'zpool scrub tank',
      'zpool import',
      'zpool import -D',
      'zpool upgrade',
      'zpool history tank',
      'zpool iostat 1',
      'zpool get all tank',
    ],
  },
  {
    id: 'btrfs.change',
    title: 'deletes or changes a btrfs filesystem',
    why: 'subvolumes, snapshots or devices are taken away',
    severity: 'critical',
    tools: ['btrfs', 'btrfstune', 'btrfs-convert'],
    matches: (c) =>
      c.name !== 'btrfs' ||
      /^(su|sub|subvol|subvolume) (d|del|delete|set-default)\b|^(de|dev|device) (d|del|delete|rem|remove|add|replace)\b|^(fi|filesystem) (resize|label \S+ \S+|defrag\w*)|^(balance|bal)(?! status| pause| cancel)\b|^replace (start|cancel)|^check\b.*--repair|^rescue\b|^(prop|property) set|^quota (disable|enable)|^qgroup (destroy|remove|limit|clear-stale)|^scrub cancel/.test(
        path(c),
      ) ||
      (/^receive\b/.test(path(c)) && !has(c, '--dump')) ||
      (/^(de|dev|device) stats\b/.test(path(c)) && has(c, '-z', '--reset')) ||
      (/^check\b/.test(path(c)) &&
        exact(c, '--repair', '--init-csum-tree', '--init-extent-tree', '--clear-space-cache')),
    stops: [
      'btrfs subvolume delete /mnt/@old',
      'btrfs device remove /dev/sdb /mnt',
      'btrfs check --repair /dev/sdb',
      'btrfs balance start /mnt',
      'btrfs filesystem resize -10g /mnt',
      'btrfs device stats -z /mnt',
      'btrfs receive /mnt < s',
    ],
    passes: [
      'btrfs subvolume list /',
      'btrfs filesystem df /',
      'btrfs scrub start /mnt',
      'btrfs subvolume snapshot / /s',
      'btrfs device stats /',
      'btrfs receive --dump < s',
      'btrfs restore -D /dev/sdb /tmp/r',
      'btrfs balance status /',
      'btrfs check /dev/sdb',
    ],
  },
  {
    id: 'lvm.change',
    title: 'removes or shrinks a logical volume',
    why: 'the data on the volume is lost',
    severity: 'critical',
    tools: [
      'lvremove',
      'lvreduce',
      'lvresize',
      'lvconvert',
      'lvchange',
      'lvrename',
      'vgremove',
      'vgreduce',
      'vgchange',
      'vgrename',
      'vgexport',
      'vgmerge',
      'vgsplit',
      'vgcfgrestore',
      'pvremove',
      'pvmove',
      'pvresize',
      'pvcreate',
      'pvchange',
      'vgimportclone',
      'lvm',
      'lvextend',
      'vgextend',
    ],
    matches: (c) => {
      if (c.name === 'lvm')
        return /^(lvremove|lvreduce|lvresize|vgremove|vgreduce|pvremove|pvcreate|pvmove|lvconvert)/.test(
          c.args[0] ?? '',
        );
      if (c.name === 'lvresize')
        return !(/-(?:L|l|-size|-extents)[ =]?(\S+)/.exec(c.args.join(' '))?.[1] ?? '').startsWith('+');
      if (c.name === 'vgcfgrestore') return !has(c, '-l', '--list');
      if (c.name === 'lvextend' || c.name === 'vgextend') return false;
      if (c.name === 'lvchange' || c.name === 'vgchange') return !/-a\s?y|--activate[= ]y|-ay/.test(c.args.join(' '));
      return c.args.length > 0;
    },
    stops: [
      'lvremove -f vg/data',
      'lvreduce -L 5G vg/x',
      'vgremove vg',
      'pvremove /dev/sdb',
      'pvcreate /dev/sdb',
      'vgchange -an vg',
      'lvresize -L -5G vg/x',
      'lvconvert --merge vg/snap',
    ],
    passes: [
      'lvs',
      'vgs',
      'pvdisplay',
      'lvcreate -L 5G -n x vg',
      'lvextend -L +5G vg/x',
      'vgchange -ay',
      'lvremove --test vg/x',
      'vgcfgrestore --list vg',
    ],
  },
  {
    id: 'raid.change',
    title: 'stops or changes a RAID array',
    why: 'the array may be lost, or lose its redundancy',
    severity: 'critical',
    tools: [
      'mdadm',
      'megacli',
      'MegaCli',
      'MegaCli64',
      'storcli',
      'storcli64',
      'perccli',
      'arcconf',
      'ssacli',
      'hpssacli',
      'dmraid',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      if (c.name === 'mdadm')
        return (
          has(c, '-S', '-f', '-r', '-C', '-G') ||
          exact(
            c,
            '--stop',
            '--zero-superblock',
            '--fail',
            '--remove',
            '--set-faulty',
            '--create',
            '--grow',
            '--add',
            '--re-add',
            '--replace',
            '--update',
            '--readonly',
            '--run',
            '--build',
            '--kill-subarray',
            '--wait-clean',
          ) ||
          (has(c, '-A', '--assemble') && has(c, '--force')) ||
          (has(c, '-a') && !has(c, '-A', '--assemble'))
        );
      if (c.name === 'dmraid') return (has(c, '-r') && has(c, '-E')) || has(c, '-x', '-an');
      return /del|clear|clr|init|offline|erase|delete|remove|create|set |modify|fgn/i.test(text);
    },
    stops: [
      'mdadm --stop /dev/md0',
      'mdadm --zero-superblock /dev/sdb',
      'mdadm /dev/md0 --fail /dev/sdb1',
      'mdadm --create /dev/md0 -l1 -n2 a b',
      'mdadm -S /dev/md0',
      'storcli /c0/v0 del',
    ],
    passes: [
      'mdadm --detail /dev/md0',
      'mdadm -D /dev/md0',
      'mdadm --examine /dev/sdb',
      'cat /proc/mdstat',
      'mdadm --assemble --scan',
      'storcli /c0 show',
    ],
  },
  {
    id: 'storage.cluster',
    title: 'changes shared storage',
    why: 'data of many machines is deleted or moved',
    severity: 'critical',
    tools: [
      'ceph',
      'rbd',
      'rados',
      'radosgw-admin',
      'ceph-volume',
      'ceph-osd',
      'cephadm',
      'gluster',
      'drbdadm',
      'moosefs',
      'weed',
      'linstor',
      'exportfs',
      'snapraid',
      'stratis',
      'vdo',
      'targetcli',
      'longhornctl',
    ],
    matches: (c) => {
      const text = path(c);
      if (c.name === 'snapraid') return /^(fix|sync|touch|rehash|pool)\b/.test(text);
      if (c.name === 'exportfs') return has(c, '-u', '-f');
      if (c.name === 'drbdadm')
        return /^(down|secondary|detach|disconnect|invalidate|create-md|wipe-md|primary)/.test(text);
      return /\b(rm|remove|delete|destroy|purge|zap|out|down|stop|wipe|rollback|resize|set|unset|flatten|trash|rmobj|cleanup|reset|fail|detach-brick|reweight|mv|rename|shrink|lost|revert|truncate)\b/.test(
        text,
      );
    },
    stops: [
      'ceph osd pool delete a a --yes-i-really-really-mean-it',
      'ceph osd out 3',
      'rbd rm pool/img',
      'gluster volume delete v',
      'drbdadm invalidate r0',
      'snapraid fix',
      'ceph-volume lvm zap /dev/sdb',
    ],
    passes: ['ceph -s', 'ceph osd tree', 'rbd ls pool', 'gluster volume info', 'drbdadm status'],
  },
  {
    id: 'snapshot.change',
    title: 'deletes snapshots or goes back to one',
    why: 'what came after the snapshot, or the snapshot itself, is lost',
    severity: 'high',
    tools: ['snapper', 'timeshift', 'tmutil', 'vssadmin', 'wbadmin', 'diskutil', 'apfs'],
    matches: (c) => {
      const text = path(c);
      if (c.name === 'timeshift') return has(c, '--delete', '--delete-all', '--restore');
      if (c.name === 'tmutil')
        return /^(delete|deletelocalsnapshots|thinlocalsnapshots|disable|removedestination|restore|setdestination|inheritbackup|disablelocal)/.test(
          text,
        );
      if (c.name === 'diskutil')
        return /^(erase\w*|partitionDisk|reformat|zeroDisk|randomDisk|secureErase|resizeVolume|mergePartitions|splitPartition|unmount\w*|eject|apfs delete\w*|apfs erase\w*|apfs resize\w*|cs delete\w*|appleRAID (delete|create)|repair\w*|rename)/i.test(
          text,
        );
      return /^(delete|rollback|undochange|delete-config|cleanup|modify|set-config|resize)/i.test(text);
    },
    stops: [
      'snapper -c root delete 5',
      'snapper rollback 3',
      'timeshift --delete-all',
      'tmutil delete /b',
      'diskutil eraseDisk APFS x disk2',
      'vssadmin delete shadows /all',
    ],
    passes: ['snapper list', 'timeshift --list', 'snapper create -d x', 'diskutil list', 'tmutil listbackups'],
  },
];
