import type { Command } from '../shell/command.js';
import { table } from './table.js';

export const FILESYSTEMS = table`
rule    disk.filesystem  high  changes a filesystem as a whole
why     repairs, resizes and flags affect all files at once; a mistake can lose them

program fsck e2fsck xfs_repair ntfsfix fsck.fat fsck.vfat dosfsck fsck.exfat exfatfsck fsck.ext4 fsck.ext3 fsck.ext2 fsck.f2fs jfs_fsck
  dry     -n -N
  loses   *, -A|-a|-y
  stops   fsck -y /dev/sda1
  passes  fsck -n /dev/sda1

program btrfsck   loses --repair|--init-csum-tree|--init-extent-tree|--clear-space-cache|--clear-ino-cache   stops btrfsck --repair /dev/sda1   passes btrfsck /dev/sda1
program reiserfsck   loses --fix-fixable|--rebuild-sb|--rebuild-tree|--clean-attributes|-y|--yes   stops reiserfsck --rebuild-tree /dev/sda1   passes reiserfsck --check /dev/sda1
program fsck.minix   loses -a|-r|-f   stops fsck.minix -a /dev/fd0   passes fsck.minix -l /dev/fd0
program tune2fs   loses !-l *   stops tune2fs -L root /dev/sda1   passes tune2fs -l /dev/sda1
program resize2fs   loses !-P *   stops resize2fs /dev/sda1 10G   passes resize2fs -P /dev/sda1
program debugfs   loses -w   stops debugfs -w /dev/sda1   passes debugfs /dev/sda1
program xfs_db   loses -x   stops xfs_db -x /dev/sda1   passes xfs_db -r /dev/sda1
program e2label fatlabel   loses * *   stops e2label /dev/sda1 root   passes e2label /dev/sda1
program swaplabel   loses -L|-U *   stops swaplabel -L swap /dev/sda2   passes swaplabel /dev/sda2
program xfs_admin   unless -l|-u|--list|--uuid !-L|-U   loses *, -L|-U   stops xfs_admin -L root /dev/sda1   passes xfs_admin -l /dev/sda1
program bcachefs   loses format|device|unlock|set-passphrase, fsck !-n   stops bcachefs format /dev/sdb   passes bcachefs fsck -n /dev/sdb ; bcachefs show-super /dev/sdb
program xfs_quota   loses ... limit|off|remove|disable   odd ${limits}  the action is inside of a word, behind -c   stops xfs_quota -x -c 'limit bhard=1g u' /mnt   passes xfs_quota -x -c report /mnt
program zerofree xfs_growfs   dry -n   loses *   stops zerofree /dev/sda1   passes zerofree -n /dev/sda1
program ntfsresize   dry -i --info -n --no-action -c --check -m --info-mb-only   loses *   stops ntfsresize -s 5G /dev/sda1   passes ntfsresize --check /dev/sda1
program e4defrag   unless -c   loses *   stops e4defrag /srv   passes e4defrag -c /srv
program fatattr   loses +*, -*   stops fatattr +h a   passes fatattr a
program setquota quotacheck xfs_fsr resize_reiserfs mdel mdeltree mren mmove
  loses   *
  stops   setquota -u x 1 2 3 4 /
  passes  setquota --help

rule    disk.encryption  critical  changes an encrypted volume or its keys
why     without its header or key an encrypted volume can no longer be read

program cryptsetup
  loses   !luksDump|status|isLuks|luksUUID|benchmark|open|luksOpen|create|plainOpen|luksHeaderBackup|tcryptDump|bitlkDump|token|repair-none
  loses   token add|remove|import
  stops   cryptsetup luksFormat /dev/sdb ; cryptsetup erase /dev/sdb ; cryptsetup luksKillSlot /dev/sdb 1 ; cryptsetup close x
  passes  cryptsetup luksDump /dev/sdb ; cryptsetup open /dev/sdb x ; cryptsetup status x
  passes  cryptsetup luksHeaderBackup /dev/sdb --header-backup-file h
program veracrypt   loses -d|--dismount|-c|--create|--change|-C   stops veracrypt -d   passes veracrypt --list
program systemd-cryptenroll   loses ... -*|--* ...   odd ${hasMoreThanADevice}  the device alone lists what is enrolled   stops systemd-cryptenroll --wipe-slot=all /dev/sdb   passes systemd-cryptenroll /dev/sdb
program cryptsetup-reencrypt fscryptctl ecryptfs-migrate-home
  loses   ...
  stops   cryptsetup-reencrypt /dev/sdb
  passes  cryptsetup-reencrypt --help

rule    disk.detach  medium  detaches a mounted disk, swap or mapping
why     programs that use it fail, and unwritten data may be lost

program umount swapoff eject pumount
  dry     --fake
  loses   *, -a|--all|-l
  stops   umount /mnt/x ; umount -l /mnt
  passes  umount --help
program mount   dry -f --fake   reads $   loses --move|-M   odd ${remounts}  remount stands among other options   stops mount -o remount,ro / ; mount --move a b   passes mount ; mount /dev/sdb1 /mnt
program fusermount fusermount3   loses -u|-z   stops fusermount -u x   passes fusermount -V
program losetup   loses -d|-D|--detach|--detach-all   stops losetup -d /dev/loop0   passes losetup -a ; losetup -f a.img
program udisksctl   loses unmount|lock|loop-delete|power-off   stops udisksctl unmount -b /dev/sdb1   passes udisksctl status ; udisksctl mount -b /dev/sdb1
program kpartx   loses -d   stops kpartx -d a.img   passes kpartx -l a.img
program qemu-nbd   loses -d|--disconnect   stops qemu-nbd -d /dev/nbd0   passes qemu-nbd -c /dev/nbd0 a.qcow2
program zramctl   loses -r|--reset   stops zramctl -r /dev/zram0   passes zramctl
program iscsiadm   loses -u|--logout, ... delete, --op=delete   odd ${deletes}  -o delete among other options   stops iscsiadm -m node -u ; iscsiadm -m node -o delete   passes iscsiadm -m session
program multipath   loses -f|-F|-w|-W   stops multipath -F   passes multipath -ll

rule    disk.boot  high  changes how the machine starts
why     a machine that does not start cannot repair itself

program grub-install grub2-install update-grub update-grub2 grub-set-default grub-reboot update-initramfs lilo extlinux syslinux
  unless  -v|--version|-l|--list $
  loses   ...
  stops   grub-install /dev/sda
  passes  grub-install --version
program dracut   unless --list-modules|--print-cmdline|--version $   loses ...   stops dracut -f   passes dracut --list-modules
program mkinitcpio   unless -L|-H|--listhooks|--hookhelp|--version !-p|-P|-g|--preset|--generate   loses ...   stops mkinitcpio -P ; mkinitcpio   passes mkinitcpio -L ; mkinitcpio -H udev
program kernelstub   unless -p|--print-config|--print $   loses ...   stops kernelstub -a quiet   passes kernelstub --print-config
program rpi-update raspi-config bless zpool-boot fw_setenv do-release-upgrade
  loses   ...
  stops   rpi-update
  passes  rpi-update --help
program grub-mkconfig grub2-mkconfig   loses -o|--output   stops grub-mkconfig -o /boot/grub.cfg   passes grub-mkconfig
program grub-editenv   loses ... set|unset|create   stops grub-editenv - set a=b   passes grub-editenv - list
program grubby   loses !--info|--default-kernel|--default-index|--default-title ...   stops grubby --set-default=x   passes grubby --info=ALL
program efibootmgr
  reads   $
  harmless -v
  loses   -B|-b|-o|-n|-c|-A|-a|-O|-N|--delete-bootnum|--bootorder|--bootnext|--create
  stops   efibootmgr -b 0001 -B
  passes  efibootmgr ; efibootmgr -v
program bootctl   loses install|update|remove|set-*|cleanup|unlink|random-seed   stops bootctl remove   passes bootctl status
program fwupdmgr fwupdtool
  loses   update|upgrade|install|downgrade|reinstall|install-blob|emulation-load|set-*|clear-*|unlock
  stops   fwupdmgr update
  passes  fwupdmgr get-devices
program rpi-eeprom-update   loses -a|-d|-r|-f   stops rpi-eeprom-update -a   passes rpi-eeprom-update
program nvram   loses -c|-d, ... *=*   stops nvram -c ; nvram a=b   passes nvram -p
program csrutil   loses disable|enable|clear   stops csrutil disable   passes csrutil status
program ipmitool
  loses   ... power off|cycle|reset|soft|diag, ... sel clear, ... mc reset, ... user|lan set, ... raw, ... fru write
  loses   ... bootdev, ... bootparam set
  stops   ipmitool chassis power off ; ipmitool -H bmc sel clear
  passes  ipmitool power status ; ipmitool sel list
program racadm   loses ... set|racreset|serveraction|delete|clear|config|jobqueue|racresetcfg|systemerase   stops racadm racreset   passes racadm getsysinfo
program proxmox-boot-tool   loses format|init|clean|refresh|reinit|kernel   stops proxmox-boot-tool refresh   passes proxmox-boot-tool status
program mokutil   loses !--list*|--sb-state|--export|--test* ...   stops mokutil --import key.der   passes mokutil --sb-state ; mokutil --list-enrolled
program sbctl   loses enroll-keys|reset|rotate-keys|create-keys|sign|remove*   stops sbctl reset   passes sbctl status
program bcdedit   loses !/enum   stops bcdedit /set x y   passes bcdedit ; bcdedit /enum
`;

function limits(c: Command): boolean {
  return /\b(limit|off|remove|disable)\b/.test(c.args.join(' '));
}

function hasMoreThanADevice(c: Command): boolean {
  return c.args.length > 1;
}

function remounts(c: Command): boolean {
  return /(^|[ ,])-?o?[ =]?(\w+,)*remount\b/.test(c.args.join(' '));
}

function deletes(c: Command): boolean {
  return /\bdelete\b/.test(c.args.join(' '));
}
