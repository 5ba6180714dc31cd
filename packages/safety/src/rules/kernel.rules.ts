import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { table } from './table.js';

export const KERNEL = table`
rule    firewall.change  critical  changes the firewall
why     one wrong rule lets everyone in or locks everyone out, including this session

program iptables ip6tables iptables-legacy iptables-nft ebtables arptables
  dry     -C --check
  loses   -F|-X|-D|-P|-A|-I|-R|-Z|-E|-N|--flush|--delete|--delete-chain|--policy|--append|--insert|--replace|--zero|--new-chain
  loses   --rename-chain|--atomic-commit|--init-table
  stops   iptables -F ; iptables -t nat -D PREROUTING 1 ; iptables -P INPUT DROP ; iptables -A INPUT -p tcp --dport 22 -j DROP
  passes  iptables -L -n -v ; iptables -S ; iptables -t nat -L ; iptables -C INPUT -j ACCEPT
program iptables-restore ip6tables-restore
  dry     -t --test
  loses   ...
  stops   iptables-restore < rules
  passes  iptables-restore --test rules
program ferm   loses ...   dry -n --noexec   stops ferm /etc/ferm/ferm.conf   passes ferm --noexec --lines ferm.conf
program nft
  dry     -c --check
  loses   !list|monitor|describe|export|ls, -f|--file|-i
  stops   nft flush ruleset ; nft -f rules
  passes  nft list ruleset ; nft -a list ruleset ; nft -c -f rules
program ufw
  dry     --dry-run
  loses   !status|show|app|version, app !list|info
  stops   ufw disable ; ufw --force reset ; ufw deny 22 ; ufw delete 3
  passes  ufw status verbose ; ufw app list
program firewall-cmd firewall-offline-cmd
  loses   --add-*|--remove-*|--set-*|--change-*|--delete-*|--new-*|--load-*|--reset-*|--lockdown-*
  loses   --reload|--complete-reload|--panic-on|--panic-off|--runtime-to-permanent
  stops   firewall-cmd --remove-service=ssh
  passes  firewall-cmd --list-all
program pfctl
  dry     -n
  loses   -d|-F|-f|-e|-k|-K, -T=add|delete|flush|kill|replace|load|expire|zero
  stops   pfctl -d ; pfctl -t bad -T flush
  passes  pfctl -s rules ; pfctl -t bad -T show ; pfctl -nf pf.conf
program ipset
  loses   *, -F|-X
  unless  list|save|test|version|help, -L|-S|-T
  stops   ipset destroy ; ipset -X ; ipset add bad 10.0.0.1
  passes  ipset list ; ipset -L bad
program conntrack   loses -D|-F|--delete|--flush   stops conntrack -D -s 10.0.0.1   passes conntrack -L
program csf   loses ...   unless -l|-g|-t|-v   stops csf -x ; csf -d 10.0.0.1   passes csf -l
program ipvsadm
  loses   -C|-D|-d|-E|-e|-R|-Z|--clear|--delete-*|--edit-*|--restore|--zero
  stops   ipvsadm -C
  passes  ipvsadm -L -n
program awall   loses activate|enable|disable|flush   stops awall activate   passes awall list

rule    kernel.change  high  changes the running kernel
why     a kernel setting or module affects everything that runs

program sysctl
  loses   -w|--write|-p|--load|--system|-f, ... *=*
  stops   sysctl -w vm.swappiness=10 ; sysctl kernel.panic=1 ; sysctl -p
  passes  sysctl -a ; sysctl vm.swappiness
program modprobe
  dry     -n --dry-run --show --show-depends -D -c --showconfig
  loses   *
  stops   modprobe -r zfs ; modprobe dummy
  passes  modprobe -n x ; modprobe --show-depends x
program rmmod insmod kextunload kextload kldunload kldload   loses *   stops rmmod nvidia   passes lsmod ; modinfo zfs ; rmmod --help
program usbreset i2cset gpioset wrmsr hub-ctrl   loses *   stops usbreset 001   passes usbreset
program renice chmem cgdelete cgset cgclassify   loses *   stops renice -n 19 5   passes renice --help
program quotaoff quotaon   loses *, -a|--all   stops quotaoff /srv   passes quotaoff --help
program ipcrm   loses *, -a|--all   stops ipcrm -m 5   passes ipcs
program setpci   loses ... *=*   stops setpci -s 00:1f.0 40.b=1   passes setpci -s 00:1f.0 40.b
program dkms   loses remove|uninstall|unbuild|autoinstall|install   stops dkms remove x/1   passes dkms status
program devmem devmem2   loses * * *   stops devmem 0x1 w 5   passes devmem 0x1
program memtool   loses mw   stops memtool mw 0x1 5   passes memtool md 0x1
program bpftool
  loses   ... detach|delete|update|load|loadall|pin|attach|unload
  stops   bpftool prog load a.o /sys/fs/bpf/a
  passes  bpftool prog show
program udevadm   loses trigger !-n|--dry-run, control   stops udevadm trigger   passes udevadm info /dev/sda ; udevadm trigger -n
program uhubctl   loses -a|--action   stops uhubctl -a off   passes uhubctl
program chcpu
  loses   -d|-g|-p|-e|-c|--disable|--enable|--configure|--deconfigure|--dispatch
  stops   chcpu -d 1
  passes  chcpu --help
program prlimit
  odd     ${setsLimit}  --nofile alone prints, --nofile=1 sets
  stops   prlimit --pid 5 --nofile=10
  passes  prlimit --pid 5 --nofile
program depmod   loses ...   dry -n --dry-run --show   stops depmod -a   passes depmod -n
program ldconfig   loses ...   unless -p|--print-cache|-N|-v   stops ldconfig   passes ldconfig -p
program nfsstat   loses -z|--zero   stops nfsstat -z   passes nfsstat -s
program dmesg   loses -c|-C|--clear|--read-clear|-n|-D|-E|--console-*   stops dmesg -C   passes dmesg ; dmesg -T
program auditctl   loses -D|-d|-e|-W|-A|-a   stops auditctl -D   passes auditctl -l
`;

function setsLimit(c: Command): boolean {
  return has(c, '-p', '--pid') && c.args.some((arg) => /^-.*=/.test(arg));
}
