import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { isDevice, isNew, isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';
import { table } from './table.js';

const DD = table`
rule    disk.dd  critical  dd writes over a disk or a file
why     dd overwrites its target byte by byte, and one wrong letter means the wrong disk

program dd gdd dcfldd
  odd     ${overwritesTarget}  what stands behind of= is a disk, a file or an image that is being made
  stops   dd if=a.img of=/dev/sdb bs=4M ; dd if=/dev/zero of=/dev/sda ; dd if=/dev/zero of=/tmp/fill
  stops   dd if=a of=b.img conv=notrunc ; dd of=notes.txt if=/dev/null
  passes  dd if=/dev/zero of=file.img bs=1M count=1 ; dd if=/dev/sda of=/dev/null bs=1M ; dd if=/dev/sda of=backup.img
program dc3dd   loses wipe=*|hwipe=*, * wipe=*|hwipe=*   odd ${overwritesTarget}  as dd   stops dc3dd wipe=/dev/sdb ; dc3dd if=a of=/dev/sdb   passes dc3dd if=/dev/sda of=a.img
program ddrescue   loses -f|--force   odd ${rescuesOntoDevice}  the second name is the target   stops ddrescue /dev/sda /dev/sdb ; ddrescue -f a b   passes ddrescue /dev/sda a.img a.map
rule    disk.mkfs  critical  makes a new filesystem
why     everything on the device is gone

program mke2fs
  values  -t -L -U -b -I -m -O -E -T -N -i -s -l -d
  dry     -n -V --version
  odd     ${formats}  an image that this text has just made is no loss
  stops   mke2fs -F /dev/sdb
  passes  mke2fs -n /dev/sdb
program mkfs mkdosfs mkntfs newfs newfs_msdos mkudffs mkexfatfs mkreiserfs
  values  -t -L -U -b -I -m -O -E -T -N -i -s -l -d
  dry     -V --version
  odd     ${formats}  an image that this text has just made is no loss
  stops   mkfs -t ext4 /dev/sdb1 ; mkfs -F /dev/sdb
  passes  mkfs --help
program mkswap format format.com mformat mkzftree
  odd     ${formats}  an image that this text has just made is no loss
  stops   mkswap /dev/sdb2
  passes  mkswap --help
`;

const PARTITIONS = table`
rule    disk.wipe  critical  wipes a disk
why     signatures or all data of the device are erased

program wipefs
  values  -t -o --types --offset
  dry     -n --no-act -J --json -p --parsable
  loses   -a|--all|-o|--offset|-f|--force
  stops   wipefs -a /dev/sdb
  passes  wipefs /dev/sdb ; wipefs -n -a /dev/sdb
program smartctl
  loses   -s|-o|-S|--smart|--offlineauto|--saveauto|--set
  reads   ...
  harmless -a -i -H -A -x --all --info --health --scan -d --json -j -l --log -c --capabilities
  stops   smartctl -s off /dev/sda
  passes  smartctl -a /dev/sda
program hdparm
  loses   --security-erase*|--security-set-pass|--security-disable|--security-unlock|--security-freeze|--trim-sector*
  loses   --write-sector|--make-bad-sector|--repair-sector|--fwdownload*|--dco-restore|--yes-i-know*|--sanitize*
  odd     ${setsDrive}  a value behind -B, -S, -M, -Q, -p, -W or -N sets it, and without one they only tell
  stops   hdparm --user-master u --security-erase p /dev/sdb ; hdparm -S 120 /dev/sda ; hdparm -y /dev/sda
  passes  hdparm -I /dev/sda
program nvme
  loses   format|sanitize*|delete-ns|create-ns|detach-ns|write*|dsm|fw-download|fw-commit|reset|subsystem-reset
  loses   security-send|set-feature|resv-*|disconnect*
  stops   nvme format /dev/nvme0n1
  passes  nvme list
program badblocks   loses -w|-n   stops badblocks -wsv /dev/sdb   passes badblocks -sv /dev/sdb
program flashrom   loses -w|-E|--write|--erase   stops flashrom -w a.bin   passes flashrom -r a.bin
program mmc   loses !extcsd|status, ... *write*   stops mmc write_reliability set /dev/mmcblk0   passes mmc extcsd read /dev/mmcblk0
program esptool esptool.py   loses ... *erase*|*write*   stops esptool erase_flash   passes esptool flash_id
program avrdude   loses -e   odd ${writesChip}  -U flash:w:file writes, -U flash:r:file reads   stops avrdude -e ; avrdude -U flash:w:a.hex   passes avrdude -p m328p -U eeprom:r:a.hex
program dfu-util   loses -D|--download   stops dfu-util -D a.bin   passes dfu-util -l
program fastboot   loses flash|erase|format*|update|oem|flashing|wipe-super, -w   stops fastboot flash boot a.img   passes fastboot devices
program sedutil-cli   odd ${revertsDrive}  its actions are options whose names go on: --revertNoErase, --PSIDrevert   stops sedutil-cli --PSIDrevert x /dev/sda   passes sedutil-cli --scan
program arduino-cli openocd pio platformio
  odd     ${flashes}  the action may be inside of a word: -c "program a.elf"
  stops   arduino-cli upload -p /dev/ttyUSB0
  passes  arduino-cli compile
program st-flash   loses ... write|erase|reset   stops st-flash erase ; st-flash --reset write a.bin 0x8000000   passes st-flash read a.bin 0x8000000 4096
program blkdiscard sg_format sg_unmap sg_write_same sg_wr_mode sg_reset sg_sanitize ssd-erase flash_erase flash_eraseall nandwrite flashcp ubiformat
  loses   -*, *
  stops   blkdiscard /dev/nvme0n1
  passes  blkdiscard --help

rule    disk.partition  critical  changes a partition table
why     the data of a partition can no longer be found

program fdisk cfdisk
  odd     ${repartitions}  what it does may stand in what it reads
  reads   ...
  harmless -l --list
  stops   fdisk /dev/sda ; printf "d\\nw\\n" | fdisk /dev/sda
  passes  fdisk -l
program sfdisk
  dry     -n --no-act -l --list -d --dump -J --json
  odd     ${repartitions}  what it does may stand in what it reads
  stops   sfdisk /dev/sdb < table
  passes  sfdisk -d /dev/sda
program gdisk cgdisk fixparts gparted
  odd     ${repartitions}  what it does may stand in what it reads
  stops   gdisk /dev/sda
  passes  gdisk -l --help
program sgdisk
  dry     -P --pretend
  odd     ${changesTable}  all but a few options change the table
  stops   sgdisk --zap-all /dev/sdb ; sgdisk -Z /dev/sdb
  passes  sgdisk -p /dev/sda ; sgdisk --backup=t /dev/sda
program parted
  odd     ${changesWithParted}  what it does may stand within one word, or in what it reads
  reads   * print $, $
  harmless -s -l --script --list -m
  stops   parted /dev/sdb mklabel gpt ; parted -s /dev/sdb rm 1 ; parted /dev/sdb
  passes  parted -l ; parted /dev/sda print
program partx   loses -d|--delete|-a|--add|-u|--update   stops partx -d /dev/sda   passes partx -s /dev/sda
program growpart   loses *   stops growpart /dev/sda 1   passes growpart --help
program diskpart   loses ...   stops diskpart ; diskpart /s a.txt   passes diskpart --help
`;

const MKFS_OF: Rule = {
  id: 'disk.mkfs-of',
  title: 'makes a new filesystem',
  why: 'everything on the device is gone',
  severity: 'critical',
  // There is one such program for each file system: mkfs.ext4, newfs_hfs.
  matches: (c) =>
    /^(mkfs|newfs)[._]\w+$/.test(c.name) &&
    c.args.length > 0 &&
    formats(
      c,
      c.args.filter((arg) => !arg.startsWith('-')),
    ),
  stops: ['mkfs.ext4 /dev/sdb1', 'sudo mkfs.xfs -f /dev/nvme0n1p1', 'mkfs.vfat -F32 /dev/sdc1'],
  passes: [
    'img=$(mktemp) && truncate -s 1G $img && mkfs.ext4 -F $img',
    'mkfs.ext4 -n /dev/sdb1',
    'mkfs.ext4 --help',
    'man mkfs.ext4',
  ],
};

export const DISK_TABLES = [...DD, ...PARTITIONS];
export const DISKS = [...DD, MKFS_OF, ...PARTITIONS];

function overwritesTarget(c: Command): boolean {
  const of = c.args.find((arg) => arg.startsWith('of='))?.slice(3);
  if (of === undefined || isSink(of) || isNew(c, of)) return false;
  if (isDevice(of) || isSystem(of)) return true;
  if (c.args.some((arg) => /^conv=.*notrunc/.test(arg) || arg.startsWith('seek='))) return true;
  const isEndless =
    c.args.some((arg) => /^if=\/dev\/(zero|u?random)$/.test(arg)) && !c.args.some((arg) => arg.startsWith('count='));
  return (
    isEndless ||
    /[*\uE000]/.test(of) ||
    !/\.(img|iso|raw|bin|dd|gz|zst|qcow2|dat|tmp|test)$|(^|\/)(test|tmp|swap|bench|zero|disk|speed)\w*$/i.test(of)
  );
}

function rescuesOntoDevice(_: Command, operands: readonly string[]): boolean {
  return isDevice(operands[1] ?? '');
}

function formats(c: Command, operands: readonly string[]): boolean {
  return operands.length > 0 && !isNew(c, operands.at(-1) ?? '');
}

function setsDrive(c: Command): boolean {
  return /-[BSMQ] ?\d/.test(c.args.join(' ')) || c.args.some((arg) => /^-[yYNpW]\d*$/.test(arg));
}

function writesChip(c: Command): boolean {
  return c.args.some((arg) => arg.includes(':w:'));
}

function revertsDrive(c: Command): boolean {
  return c.args.some((arg) => /revert|erase|PSID/i.test(arg));
}

function flashes(c: Command): boolean {
  return /\b(upload|burn-bootloader|program|flash|erase|write_image)\b/.test(c.args.join(' '));
}

/** Whether the input of the command changes the table; null if the input is unknown. */
function changesByInput({ input }: Command): boolean | null {
  return input.kind === 'text' ? !/^\s*(p|q|print|quit|l|list|\s)*$/.test(input.text) : null;
}

const LOOKS = ['-l', '--list', '-s', '-V', '-d', '--dump', '-J', '-x', '-F'];

function repartitions(c: Command, operands: readonly string[]): boolean {
  return (
    changesByInput(c) ??
    (operands.length > 0 && !(c.name.endsWith('disk') && has(c, ...(c.name === 'gdisk' ? ['-l'] : LOOKS))))
  );
}

function changesTable(c: Command): boolean {
  const looks =
    /^(-[piPvLEFDf]+|--(print|info|verify|pretend|list-types|first-aligned-in-largest|end-of-largest|first-in-largest)(=.*)?|\d+|\/.*)$/;
  return changesByInput(c) ?? (!c.args.every((arg) => looks.test(arg)) && !has(c, '-b', '--backup'));
}

function changesWithParted(c: Command, operands: readonly string[]): boolean {
  const changes =
    /\b(mklabel|mktable|mkpart|rm|resizepart|resize|set|name|rescue|move|mkfs|cp|toggle|disk_set|disk_toggle)\b/;
  return (
    changesByInput(c) ?? (c.args.some((arg) => changes.test(arg)) || (operands.length === 1 && !has(c, '-l', '--list')))
  );
}
