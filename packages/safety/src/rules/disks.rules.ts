import { has, operands } from './arguments.js';
import { isDevice, isNew, isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';

const CRITICAL = 'critical';

const PARTITIONERS = [
  'fdisk',
  'gdisk',
  'cfdisk',
  'cgdisk',
  'parted',
  'sfdisk',
  'sgdisk',
  'partx',
  'gparted',
  'growpart',
  'diskpart',
  'fixparts',
];

export const DISKS: readonly Rule[] = [
  {
    id: 'disk.dd',
    title: 'dd writes over a disk or a file',
    why: 'dd overwrites its target byte by byte, and a wrong letter is the wrong disk',
    severity: CRITICAL,
    tools: ['dd', 'gdd', 'dcfldd', 'dc3dd', 'ddrescue', 'pv'],
    matches: (c) => {
      if (c.name === 'pv') return has(c, '-o', '--output') && isDevice(c.args.at(-1) ?? '');
      if (c.name === 'dc3dd' && c.args.some((arg) => /^(wipe|hwipe)=/.test(arg))) return true;
      if (c.name === 'ddrescue') return isDevice(operands(c)[1] ?? '') || has(c, '-f', '--force');
      const of = c.args.find((arg) => arg.startsWith('of='))?.slice(3);
      if (of === undefined || isSink(of) || isNew(c, of)) return false;
      if (isDevice(of) || isSystem(of)) return true;
      if (c.args.some((arg) => /^conv=.*notrunc/.test(arg) || arg.startsWith('seek='))) return true;
      const endless =
        c.args.some((arg) => /^if=\/dev\/(zero|u?random)$/.test(arg)) &&
        !c.args.some((arg) => arg.startsWith('count='));
      return (
        endless ||
        /[*\uE000]/.test(of) ||
        !/\.(img|iso|raw|bin|dd|gz|zst|qcow2|dat|tmp|test)$|(^|\/)(test|tmp|swap|bench|zero|disk|speed)\w*$/i.test(of)
      );
    },
    stops: [
      'dd if=a.img of=/dev/sdb bs=4M',
      'dd if=/dev/zero of=/dev/sda',
      'dd if=/dev/zero of=/tmp/fill',
      'dd if=a of=b.img conv=notrunc',
      'dd of=notes.txt if=/dev/null',
    ],
    passes: [
      'dd if=/dev/zero of=file.img bs=1M count=1',
      'dd if=/dev/sda of=/dev/null bs=1M',
      'dd if=/dev/sda of=backup.img',
      'dd if=/dev/sda | md5sum',
    ],
  },
  {
    id: 'disk.mkfs',
    title: 'makes a new filesystem',
    why: 'everything on the device is gone',
    severity: CRITICAL,
    tools: [
      'mkfs',
      'mke2fs',
      'mkswap',
      'mkdosfs',
      'mkntfs',
      'newfs',
      'newfs_msdos',
      'mkudffs',
      'format',
      'format.com',
      'mformat',
      'mkexfatfs',
      'mkreiserfs',
      'mkzftree',
    ],
    matches: (c) => operands(c).length > 0 && !isNew(c, operands(c).at(-1) ?? ''),
    stops: ['mkfs -t ext4 /dev/sdb1', 'mkswap /dev/sdb2', 'mke2fs -F /dev/sdb'],
    passes: ['mkfs --help', 'mke2fs -n /dev/sdb', 'which mkfs'],
  },
  {
    id: 'disk.mkfs-of',
    title: 'makes a new filesystem',
    why: 'everything on the device is gone',
    severity: CRITICAL,
    matches: (c) => /^(mkfs|newfs)[._]\w+$/.test(c.name) && c.args.length > 0 && !isNew(c, operands(c).at(-1) ?? ''),
    stops: ['mkfs.ext4 /dev/sdb1', 'sudo mkfs.xfs -f /dev/nvme0n1p1', 'mkfs.vfat -F32 /dev/sdc1'],
    passes: [
      'img=$(mktemp) && truncate -s 1G $img && mkfs.ext4 -F $img',
      'mkfs.ext4 -n /dev/sdb1',
      'mkfs.ext4 --help',
      'man mkfs.ext4',
    ],
  },
  {
    id: 'disk.wipe',
    title: 'wipes a disk',
    why: 'signatures or all data of the device are erased',
    severity: CRITICAL,
    tools: [
      'wipefs',
      'blkdiscard',
      'sg_format',
      'sg_unmap',
      'sg_write_same',
      'sg_wr_mode',
      'sg_reset',
      'sg_sanitize',
      'sedutil-cli',
      'ssd-erase',
      'hdparm',
      'smartctl',
      'arduino-cli',
      'openocd',
      'pio',
      'platformio',
      'nvme',
      'badblocks',
      'flash_erase',
      'flash_eraseall',
      'nandwrite',
      'flashcp',
      'flashrom',
      'mmc',
      'mtd',
      'mtd_debug',
      'esptool.py',
      'esptool',
      'avrdude',
      'dfu-util',
      'st-flash',
      'fastboot',
      'heimdall',
      'ubiformat',
    ],
    matches: (c) => {
      const [first = ''] = operands(c);
      switch (c.name) {
        case 'wipefs':
          return has(c, '-a', '--all', '-o', '--offset', '-f', '--force');
        case 'smartctl':
          return has(c, '-s', '-o', '-S', '--smart', '--offlineauto', '--saveauto', '--set');
        case 'arduino-cli':
        case 'openocd':
        case 'pio':
        case 'platformio':
          return /\b(upload|burn-bootloader|program|flash|erase|write_image)\b/.test(c.args.join(' '));
        case 'hdparm':
          if (/-[BSMQ] ?\d/.test(c.args.join(' '))) return true; // power saving, noise, queue: a value sets it
          return c.args.some((arg) =>
            /^--(security-(erase|set-pass|disable|unlock|freeze)|trim-sector|write-sector|make-bad-sector|repair-sector|fwdownload|dco-restore|yes-i-know|sanitize)|^-[yYNpW]\d*$/.test(
              arg,
            ),
          );
        case 'nvme':
          return /^(format|sanitize|delete-ns|create-ns|detach-ns|write|write-zeroes|dsm|fw-download|fw-commit|reset|subsystem-reset|security-send|set-feature|resv-|disconnect)/.test(
            first,
          );
        case 'badblocks':
          return has(c, '-w', '-n');
        case 'flashrom':
          return has(c, '-w', '-E', '--write', '--erase');
        case 'mmc':
          return !/^(extcsd|status|--help)/.test(first) || /write/.test(c.args.join(' '));
        case 'mtd':
        case 'mtd_debug':
          return /^(erase|write|unlock)$/.test(first);
        case 'esptool':
        case 'esptool.py':
          return c.args.some((arg) => /erase|write/.test(arg));
        case 'avrdude':
          return has(c, '-e') || c.args.some((arg) => /:w:/.test(arg));
        case 'dfu-util':
          return has(c, '-D', '--download');
        case 'fastboot':
          return /^(flash|erase|format|update|oem|flashing|-w|wipe-super)/.test(c.args[0] ?? '');
        case 'sedutil-cli':
          return c.args.some((arg) => /revert|erase|PSID/i.test(arg));
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'wipefs -a /dev/sdb',
      'blkdiscard /dev/nvme0n1',
      'hdparm --user-master u --security-erase p /dev/sdb',
      'nvme format /dev/nvme0n1',
      'badblocks -wsv /dev/sdb',
    ],
    passes: [
      'wipefs /dev/sdb',
      'wipefs -n -a /dev/sdb',
      'hdparm -I /dev/sda',
      'nvme list',
      'badblocks -sv /dev/sdb',
      'which wipefs',
    ],
  },
  {
    id: 'disk.partition',
    title: 'changes a partition table',
    why: 'what a partition held can no longer be found',
    severity: CRITICAL,
    tools: PARTITIONERS,
    matches: (c) => {
      if (c.input.kind === 'text' && c.name !== 'growpart')
        return !/^\s*(p|q|print|quit|l|list|\s)*$/.test(c.input.text);
      if (c.name.endsWith('fdisk') && has(c, '-l', '--list', '-s', '-V', '-d', '--dump', '-J', '-x', '-F'))
        return false;
      if (c.name === 'gdisk' && has(c, '-l')) return false;
      if (c.name === 'sgdisk')
        return (
          !c.args.every((arg) =>
            /^(-[piPvLEFDf]+|--(print|info|verify|pretend|list-types|first-aligned-in-largest|end-of-largest|first-in-largest)(=.*)?|\d+|\/.*)$/.test(
              arg,
            ),
          ) && !has(c, '-b', '--backup')
        );
      if (c.name === 'parted')
        return (
          c.args.some((arg) =>
            /\b(mklabel|mktable|mkpart|rm|resizepart|resize|set|name|rescue|move|mkfs|cp|toggle|disk_set|disk_toggle)\b/.test(
              arg,
            ),
          ) ||
          (operands(c).length === 1 && !has(c, '-l', '--list'))
        );
      if (c.name === 'partx') return has(c, '-d', '--delete', '-a', '--add', '-u', '--update');
      return operands(c).length > 0 || c.name === 'diskpart';
    },
    stops: [
      'fdisk /dev/sda',
      'parted /dev/sdb mklabel gpt',
      'parted -s /dev/sdb rm 1',
      'sgdisk --zap-all /dev/sdb',
      'sgdisk -Z /dev/sdb',
      'sfdisk /dev/sdb < table',
      'printf "d\\nw\\n" | fdisk /dev/sdb',
      'growpart /dev/sda 1',
    ],
    passes: [
      'fdisk -l',
      'parted -l',
      'parted /dev/sda print',
      'sgdisk -p /dev/sda',
      'sfdisk -d /dev/sda',
      'sgdisk --backup=t /dev/sda',
      'lsblk',
    ],
  },
];
