import { exact, has, operands } from './arguments.js';
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
      if (c.name === 'ddrescue') return isDevice(operands(c)[1] ?? '') || has(c, '-f', '--force');
      const of = c.args.find((arg) => /^of=/.test(arg))?.slice(3);
      if (of === undefined || isSink(of) || isNew(c, of)) return false;
      if (isDevice(of) || isSystem(of)) return true;
      if (c.args.some((arg) => /^conv=.*notrunc/.test(arg) || /^seek=/.test(arg))) return true;
      const endless =
        c.args.some((arg) => /^if=\/dev\/(zero|u?random)$/.test(arg)) && !c.args.some((arg) => /^count=/.test(arg));
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
    matches: (c) => operands(c).length > 0,
    stops: ['mkfs -t ext4 /dev/sdb1', 'mkswap /dev/sdb2', 'mke2fs -F /dev/sdb'],
    passes: ['mkfs --help', 'mke2fs -n /dev/sdb', 'which mkfs'],
  },
  {
    id: 'disk.mkfs-of',
    title: 'makes a new filesystem',
    why: 'everything on the device is gone',
    severity: CRITICAL,
    matches: (c) => /^(mkfs|newfs)[._]\w+$/.test(c.name) && c.args.length > 0,
    stops: ['mkfs.ext4 /dev/sdb1', 'sudo mkfs.xfs -f /dev/nvme0n1p1', 'mkfs.vfat -F32 /dev/sdc1'],
    passes: ['mkfs.ext4 -n /dev/sdb1', 'mkfs.ext4 --help', 'man mkfs.ext4'],
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
      'sg_sanitize',
      'sedutil-cli',
      'ssd-erase',
      'hdparm',
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
        case 'hdparm':
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
      if (/fdisk$/.test(c.name) && has(c, '-l', '--list', '-s', '-V', '-d', '--dump', '-J', '-x', '-F')) return false;
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
  {
    id: 'disk.filesystem',
    title: 'changes a filesystem as a whole',
    why: 'repairs, resizes and flags work on all files at once, and a wrong one loses them',
    severity: 'high',
    tools: [
      'fsck',
      'e2fsck',
      'xfs_repair',
      'ntfsfix',
      'reiserfsck',
      'btrfsck',
      'fsck.fat',
      'fsck.vfat',
      'dosfsck',
      'fsck.ext4',
      'fsck.ext3',
      'fsck.ext2',
      'fsck.xfs',
      'fsck.btrfs',
      'tune2fs',
      'resize2fs',
      'xfs_growfs',
      'xfs_admin',
      'ntfsresize',
      'debugfs',
      'xfs_db',
      'e2label',
      'fatlabel',
      'swaplabel',
      'zerofree',
      'e4defrag',
      'xfs_fsr',
      'jfs_fsck',
      'bcachefs',
      'fatattr',
      'mdel',
      'mdeltree',
      'mren',
      'mmove',
      'resize_reiserfs',
      'quotacheck',
      'setquota',
      'xfs_quota',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'tune2fs':
          return !has(c, '-l') && operands(c).length > 0;
        case 'debugfs':
        case 'xfs_db':
          return has(c, '-w', '-x');
        case 'e2label':
        case 'fatlabel':
          return operands(c).length > 1;
        case 'xfs_admin':
          return !has(c, '-l', '-u') || has(c, '-L', '-U');
        case 'ntfsresize':
          return operands(c).length > 0;
        case 'bcachefs':
          return /^(format|device|fsck|unlock|set-passphrase)$/.test(c.args[0] ?? '');
        case 'xfs_quota':
          return /\b(limit|off|remove|disable)\b/.test(c.args.join(' '));
        default:
          return operands(c).length > 0 || has(c, '-A', '-a', '-y');
      }
    },
    stops: ['fsck -y /dev/sda1', 'tune2fs -L root /dev/sda1', 'resize2fs /dev/sda1 10G', 'xfs_repair -L /dev/sdb1'],
    passes: [
      'fsck -n /dev/sda1',
      'tune2fs -l /dev/sda1',
      'xfs_repair -n /dev/sdb1',
      'e2label /dev/sda1',
      'dumpe2fs /dev/sda1',
    ],
  },
  {
    id: 'disk.encryption',
    title: 'changes an encrypted volume or its keys',
    why: 'without its header or key an encrypted volume cannot be read any more',
    severity: CRITICAL,
    tools: [
      'cryptsetup',
      'luksmeta',
      'veracrypt',
      'cryptsetup-reencrypt',
      'systemd-cryptenroll',
      'clevis',
      'fscryptctl',
      'ecryptfs-migrate-home',
    ],
    matches: (c) => {
      const [first = ''] = operands(c);
      if (c.name === 'systemd-cryptenroll') return c.args.length > 1;
      if (c.name === 'clevis') return /\b(bind|unbind|regen|edit)\b/.test(c.args.join(' '));
      if (c.name === 'luksmeta') return /^(init|nuke|save|wipe)$/.test(first);
      if (c.name === 'veracrypt') return has(c, '-d', '--dismount', '-c', '--create', '--change', '-C');
      if (c.name !== 'cryptsetup') return true;
      return (
        !/^(luksDump|status|isLuks|luksUUID|benchmark|open|luksOpen|create|plainOpen|luksHeaderBackup|tcryptDump|bitlkDump|token|)$/.test(
          first,
        ) ||
        (first === 'token' && /add|remove|import/.test(c.args.join(' ')))
      );
    },
    stops: [
      'cryptsetup luksFormat /dev/sdb',
      'cryptsetup erase /dev/sdb',
      'cryptsetup luksRemoveKey /dev/sdb',
      'cryptsetup luksKillSlot /dev/sdb 1',
      'cryptsetup close x',
    ],
    passes: [
      'cryptsetup luksDump /dev/sdb',
      'cryptsetup open /dev/sdb x',
      'cryptsetup status x',
      'cryptsetup luksHeaderBackup /dev/sdb --header-backup-file h',
    ],
  },
  {
    id: 'disk.detach',
    title: 'takes a mounted disk, swap or mapping away',
    why: 'what uses it fails, and what was not written yet may be lost',
    severity: 'medium',
    tools: [
      'umount',
      'fusermount',
      'fusermount3',
      'swapoff',
      'losetup',
      'dmsetup',
      'udisksctl',
      'eject',
      'kpartx',
      'qemu-nbd',
      'mount',
      'hdiutil',
      'pumount',
      'zramctl',
      'iscsiadm',
      'multipath',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'mount':
          return /(^|[ ,])-?o?[ =]?(\w+,)*remount\b/.test(c.args.join(' ')) || has(c, '--move', '-M');
        case 'fusermount':
        case 'fusermount3':
          return has(c, '-u', '-z');
        case 'losetup':
          return has(c, '-d', '-D', '--detach', '--detach-all');
        case 'dmsetup':
          return /^(remove|remove_all|wipe_table|clear|suspend|load|reload|rename|message)$/.test(operands(c)[0] ?? '');
        case 'udisksctl':
          return /^(unmount|lock|loop-delete|power-off)$/.test(c.args[0] ?? '');
        case 'kpartx':
          return has(c, '-d');
        case 'qemu-nbd':
          return has(c, '-d', '--disconnect');
        case 'hdiutil':
          return /^(detach|eject|erasekeys|resize|compact)$/.test(c.args[0] ?? '');
        case 'zramctl':
          return has(c, '-r', '--reset');
        case 'iscsiadm':
          return exact(c, '-u', '--logout') || /\b(delete)\b/.test(c.args.join(' '));
        case 'multipath':
          return has(c, '-f', '-F', '-w', '-W');
        default:
          return operands(c).length > 0 || has(c, '-a', '--all', '-l');
      }
    },
    stops: [
      'umount /mnt/x',
      'umount -l /mnt',
      'swapoff -a',
      'losetup -d /dev/loop0',
      'dmsetup remove x',
      'mount -o remount,ro /',
    ],
    passes: ['mount', 'mount /dev/sdb1 /mnt', 'losetup -a', 'dmsetup ls', 'swapon --show', 'losetup -f a.img'],
  },
  {
    id: 'disk.boot',
    title: 'changes how the machine starts',
    why: 'a machine that does not start cannot repair itself',
    severity: 'high',
    tools: [
      'grub-install',
      'grub2-install',
      'update-grub',
      'update-grub2',
      'grub-mkconfig',
      'grub2-mkconfig',
      'grub-set-default',
      'grub-reboot',
      'grub-editenv',
      'grubby',
      'efibootmgr',
      'bootctl',
      'update-initramfs',
      'dracut',
      'mkinitcpio',
      'proxmox-boot-tool',
      'kernelstub',
      'lilo',
      'extlinux',
      'syslinux',
      'bcdedit',
      'fwupdmgr',
      'fwupdtool',
      'rpi-eeprom-update',
      'raspi-config',
      'rpi-update',
      'nvram',
      'bless',
      'csrutil',
      'ipmitool',
      'racadm',
      'mokutil',
      'sbctl',
      'zpool-boot',
      'fw_setenv',
      'do-release-upgrade',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      switch (c.name) {
        case 'efibootmgr':
          return has(
            c,
            '-B',
            '-b',
            '-o',
            '-n',
            '-c',
            '-A',
            '-a',
            '-O',
            '-N',
            '--delete-bootnum',
            '--bootorder',
            '--bootnext',
            '--create',
          );
        case 'bootctl':
          return /^(install|update|remove|set-\w+|cleanup|unlink|random-seed)/.test(c.args[0] ?? '');
        case 'fwupdmgr':
        case 'fwupdtool':
          return /^(update|upgrade|install|downgrade|reinstall|install-blob|emulation-load|set-|clear-|unlock)/.test(
            c.args[0] ?? '',
          );
        case 'grub-mkconfig':
        case 'grub2-mkconfig':
          return has(c, '-o', '--output');
        case 'grub-editenv':
          return /\b(set|unset|create)\b/.test(text);
        case 'grubby':
          return !/^--(info|default-kernel|default-index|default-title)/.test(c.args[0] ?? '');
        case 'rpi-eeprom-update':
          return has(c, '-a', '-d', '-r', '-f');
        case 'nvram':
          return has(c, '-c', '-d') || /=/.test(text);
        case 'csrutil':
          return /^(disable|enable|clear)/.test(text);
        case 'ipmitool':
          return /\b(power|chassis power)\s+(off|cycle|reset|soft|diag)\b|\b(sel clear|mc reset|user set|lan set|raw|fru write|bootdev|bootparam set)\b/.test(
            text,
          );
        case 'racadm':
          return /\b(set|racreset|serveraction|delete|clear|config|jobqueue|racresetcfg|systemerase)\b/.test(text);
        case 'proxmox-boot-tool':
          return /^(format|init|clean|refresh|reinit|kernel)/.test(text);
        case 'mokutil':
          return !/^--(list|sb-state|export|test)/.test(c.args[0] ?? '');
        case 'sbctl':
          return /^(enroll-keys|reset|rotate-keys|create-keys|sign|remove)/.test(text);
        case 'bcdedit':
          return c.args.length > 0 && !/^\/enum/.test(text);
        default:
          return !/^(-v|--version|-l|--list)$/.test(text);
      }
    },
    stops: [
      'grub-install /dev/sda',
      'update-grub',
      'efibootmgr -b 0001 -B',
      'update-initramfs -u',
      'fwupdmgr update',
      'ipmitool chassis power off',
    ],
    passes: [
      'efibootmgr',
      'efibootmgr -v',
      'bootctl status',
      'fwupdmgr get-devices',
      'ipmitool power status',
      'ipmitool sel list',
      'grub-mkconfig',
    ],
  },
];
