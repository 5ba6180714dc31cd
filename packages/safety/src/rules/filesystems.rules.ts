import { exact, has, operands } from './arguments.js';
import type { Rule } from './rule.js';

const CRITICAL = 'critical';

export const FILESYSTEMS: readonly Rule[] = [
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
        case 'resize2fs':
          return operands(c).length > 0 && !has(c, '-P');
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
          return (
            /^(format|device|fsck|unlock|set-passphrase)$/.test(c.args[0] ?? '') &&
            !(c.args[0] === 'fsck' && has(c, '-n'))
          );
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
          return c.args.length > 0 && !text.startsWith('/enum');
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
