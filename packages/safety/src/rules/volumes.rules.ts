import type { Command } from '../shell/command.js';
import { table } from './table.js';

export const VOLUMES = table`
rule    zfs.destroy  critical  destroys or rolls back a dataset
why     datasets and snapshots that ZFS destroys are gone at once

program zfs
  values  -o -O -t -r -d -s -S
  dry     -n
  help    -h
  complete
  loses   destroy -> the dataset, and all its snapshots with -r
  loses   rollback -> all that came after the snapshot
  loses   rename|promote|unmount|umount|unshare|inherit|set|upgrade|change-key|unload-key
  loses   unallow|release|allow|project|redact, receive|recv -F|-A, mount -O
  makes   create|snapshot|snap|clone|send|hold|bookmark|share|load-key|program|wait
  reads   list|get|diff|holds|userspace|groupspace|version
  harmless *
  stops   zfs destroy tank/data ; zfs destroy -r tank@old ; zfs recv -F tank/x ; zfs set compression=off tank
  passes  zfs list ; zfs destroy -nv tank/data ; zfs snapshot tank@a ; zfs recv backup/x ; zfs send tank@a

rule    zpool.destroy  critical  changes or destroys a pool
why     all datasets of the pool are lost or put at risk

program zpool
  values  -o -O -R -t
  dry     -n
  help    -h
  complete
  loses   destroy|labelclear -> the pool and all its datasets
  loses   remove|detach|offline|replace|split -> redundancy, or the pool's last good disk
  loses   export|clear|set|add|attach|initialize|trim|reguid|reopen|checkpoint|create
  loses   upgrade -a, upgrade *, import -F|-X|-D|-f *, import -F|-X|-D|-f -a, scrub -s
  makes   scrub|resilver|online|wait|sync
  reads   status|list|get|history|iostat|events|version
  harmless *
  stops   zpool destroy tank ; zpool labelclear -f /dev/sdb ; zpool import -F tank ; zpool upgrade -a
  stops   zpool create -f tank /dev/sdb ; zpool import -D tank
  passes  zpool status ; zpool scrub tank ; zpool import ; zpool import -D ; zpool upgrade

rule    btrfs.change  critical  deletes or changes a btrfs filesystem
why     subvolumes, snapshots or devices are removed

program btrfs
  abbreviates subcommands
  complete
  loses   subvolume delete|set-default -> the subvolume, or what the machine starts from
  loses   device delete|remove|add|replace, replace start|cancel, device stats -z|--reset
  loses   filesystem resize|defragment, filesystem label * *, balance !status|pause|cancel
  loses   check --repair|--init-csum-tree|--init-extent-tree|--clear-space-cache, rescue, property set
  loses   quota enable|disable, qgroup destroy|remove|limit|clear-stale, scrub cancel, receive !--dump
  makes   subvolume create|snapshot|sync, scrub start|resume, send, restore, balance pause|cancel, quota rescan
  makes   qgroup assign|create, filesystem sync|mkswapfile, device scan|ready
  reads   subvolume list|show|get-default|find-new, filesystem show|df|du|usage, filesystem label * $
  reads   device stats|usage, balance status, scrub status, replace status, inspect-internal, property get|list
  reads   qgroup show, check, version|help
  harmless -* --*
  stops   btrfs subvolume delete /mnt/@old ; btrfs su de /mnt/@old ; btrfs device remove /dev/sdb /mnt
  stops   btrfs check --repair /dev/sdb ; btrfs device stats -z /mnt ; btrfs receive /mnt < s
  passes  btrfs subvolume list / ; btrfs fi df / ; btrfs scrub start /mnt ; btrfs receive --dump < s
  passes  btrfs subvolume snapshot / /s ; btrfs balance status / ; btrfs check /dev/sdb

program btrfstune btrfs-convert   loses *   stops btrfstune -r /dev/sdb   passes btrfstune --help

rule    lvm.change  critical  removes or shrinks a logical volume
why     the data on the volume is lost

program lvremove lvreduce lvconvert lvrename
  values  -L -l -n -s --size --extents --name --select -S --config --devices
  dry     -t --test
  loses   ...
  stops   lvremove vg/data
  passes  lvremove --test vg/x

program vgremove vgreduce vgrename vgexport vgmerge vgsplit vgimportclone pvremove pvmove pvresize pvcreate pvchange
  values  -L -l -n -s --size --extents --name --select -S --config --devices
  dry     -t --test
  loses   ...
  stops   vgremove vg
  passes  vgremove --test vg

program lvresize
  values  -n --name --select -S --config --devices
  dry     -t --test
  odd     ${shrinks}  whether it shrinks is in the size: +5G grows
  stops   lvresize -L -5G vg/x ; lvresize -L 5G vg/x
  passes  lvresize -L +5G vg/x ; lvresize --size=+5G vg/x

program lvchange vgchange
  dry     -t --test
  odd     ${isNotActivation}  -ay, -a y and --activate y alone start a volume
  stops   lvchange -an vg/x ; lvchange --permission r vg/x
  passes  lvchange -a y vg/x

program vgcfgrestore   loses !-l|--list ...   stops vgcfgrestore vg   passes vgcfgrestore --list vg

program lvm
  loses   lvremove|lvreduce|lvresize|vgremove|vgreduce|pvremove|pvcreate|pvmove|lvconvert
  stops   lvm lvremove vg/x
  passes  lvm lvs

rule    raid.change  critical  stops or changes a RAID array
why     the array may be lost, or lose its redundancy

program mdadm
  reads   -D|--detail|-E|--examine|-Q|--query ...
  harmless --scan --verbose -s -v --brief
  loses   -S|-f|-r|-C|-G, --stop|--zero-superblock|--fail|--remove|--set-faulty|--create|--grow|--add|--re-add|--replace
  loses   --update|--readonly|--run|--build|--kill-subarray|--wait-clean, -a !-A|--assemble
  odd     ${forcesAssembly}  --force alone is harmless with --detail
  stops   mdadm --stop /dev/md0 ; mdadm /dev/md0 --fail /dev/sdb1 ; mdadm --create /dev/md0 -l1 -n2 a b ; mdadm -A --force /dev/md0
  passes  mdadm --detail /dev/md0 ; mdadm --examine /dev/sdb ; mdadm --assemble --scan

program megacli MegaCli MegaCli64
  odd     ${namesAChange}  its actions are one word: -LDClear, -CfgLdDel
  stops   megacli -CfgLdDel -L0 -a0
  passes  megacli -LDInfo -Lall -aALL

program dmraid   loses -x|-an   odd ${erasesMetadata}  -r lists and only -r with -E erases   stops dmraid -an ; dmraid -r -E /dev/sdb   passes dmraid -r

rule    storage.cluster  critical  changes shared storage
why     data of many machines is deleted or moved

program ceph
  loses   ... rm|remove|delete|destroy|purge|zap|out|down|stop|set|unset|reset|reweight|mv|rename|lost|fail|cleanup
  stops   ceph osd pool delete a a --yes-i-really-really-mean-it ; ceph osd out 3
  passes  ceph -s ; ceph osd tree
program drbdadm
  loses   down|secondary|detach|disconnect|invalidate*|create-md|wipe-md|primary
  stops   drbdadm invalidate r0
  passes  drbdadm status
program snapraid   loses fix|sync|touch|rehash|pool   stops snapraid fix   passes snapraid status
program exportfs   loses -u|-f   stops exportfs -ua   passes exportfs -v
rule    snapshot.change  high  deletes snapshots or rolls back to one
why     changes after the snapshot, or the snapshot itself, are lost

program snapper
  values  -c --config
  loses   delete|rollback|undochange|delete-config|cleanup|modify|set-config
  stops   snapper -c root delete 5 ; snapper rollback 3
  passes  snapper list ; snapper create -d x
program tmutil
  loses   delete*|thinlocalsnapshots|disable*|removedestination|restore|setdestination|inheritbackup|stopbackup
  stops   tmutil delete /b
  passes  tmutil listbackups
program diskutil
  loses   erase*|partitionDisk|reformat|zeroDisk|randomDisk|secureErase*|resizeVolume|mergePartitions|splitPartition|unmount*
  loses   eject|repair*|rename*, apfs delete*|erase*|resize*, cs delete*, appleRAID delete|create
  stops   diskutil eraseDisk APFS x disk2 ; diskutil apfs deleteVolume disk1s2
  passes  diskutil list
`;

function shrinks(c: Command): boolean {
  return !(/-(?:L|l|-size|-extents)[ =]?(\S+)/.exec(c.args.join(' '))?.[1] ?? '').startsWith('+');
}

function isNotActivation(c: Command): boolean {
  return !/-a\s?y|--activate[= ]y|-ay/.test(c.args.join(' '));
}

function forcesAssembly(c: Command): boolean {
  const text = ` ${c.args.join(' ')} `;
  return / (-A|--assemble) /.test(text) && / --force /.test(text);
}

function namesAChange(c: Command): boolean {
  return /del|clear|clr|init|offline|erase|delete|remove|create|set |modify|fgn/i.test(c.args.join(' '));
}

function erasesMetadata(c: Command): boolean {
  const text = ` ${c.args.join(' ')} `;
  return / -r /.test(text) && / -E /.test(text);
}
