import { has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

export const KERNEL: readonly Rule[] = [
  {
    id: 'firewall.change',
    title: 'changes the firewall',
    why: 'one wrong rule lets everybody in or locks everybody out, this session too',
    severity: 'critical',
    tools: [
      'iptables',
      'ip6tables',
      'iptables-legacy',
      'iptables-nft',
      'ebtables',
      'ipvsadm',
      'arptables',
      'iptables-restore',
      'ip6tables-restore',
      'nft',
      'ufw',
      'firewall-cmd',
      'firewall-offline-cmd',
      'pfctl',
      'ipset',
      'ipfw',
      'shorewall',
      'csf',
      'conntrack',
      'netsh',
      'nftables',
      'awall',
      'ferm',
    ],
    matches: (c) => {
      const text = path(c);
      switch (c.name) {
        case 'nft':
          return (
            !/^(list|monitor|describe|export|ls)\b/.test(text) &&
            (operands(c).length > 0 || has(c, '-f', '--file', '-i'))
          );
        case 'ufw':
          return !/^(status|show|app (list|info)|version)\b/.test(text) && text !== '';
        case 'firewall-cmd':
        case 'firewall-offline-cmd':
          return c.args.some((arg) =>
            /^--(add-|remove-|set-|change-|reload|complete-reload|panic-on|panic-off|runtime-to-permanent|delete-|new-|load-|reset-|lockdown-)/.test(
              arg,
            ),
          );
        case 'pfctl':
          return has(c, '-d', '-F', '-f', '-e', '-k', '-K', '-t') && !has(c, '-n');
        case 'ipset':
          return !/^(list|save|test|-L|-S|-T|version|help)\b/.test(c.args.join(' '));
        case 'conntrack':
          return has(c, '-D', '-F', '--delete', '--flush');
        case 'ipfw':
          return /\b(flush|delete|add|zero|disable|set|-f)\b/.test(c.args.join(' '));
        case 'netsh':
          return /\b(reset|delete|set|add|import|disconnect)\b/i.test(text);
        case 'csf':
          return !has(c, '-l', '-g', '-t', '-v');
        case 'ipvsadm':
          return has(c, '-C', '-D', '-d', '-E', '-e', '-R', '-Z', '--clear');
        case 'shorewall':
          return !/^(show|status|check|version|dump|help)\b/.test(text);
        case 'iptables-restore':
        case 'ip6tables-restore':
        case 'awall':
        case 'ferm':
          return c.name !== 'awall' || /^(activate|enable|disable|flush)/.test(text);
        default:
          return has(
            c,
            '-F',
            '-X',
            '-D',
            '-P',
            '-A',
            '-I',
            '-R',
            '-Z',
            '-E',
            '-N',
            '--flush',
            '--delete',
            '--delete-chain',
            '--policy',
            '--append',
            '--insert',
            '--replace',
            '--zero',
            '--new-chain',
            '--atomic-commit',
            '--init-table',
          );
      }
    },
    stops: [
      'iptables -F',
      'iptables -t nat -D PREROUTING 1',
      'iptables -P INPUT DROP',
      'iptables -A INPUT -p tcp --dport 22 -j DROP',
      'ip6tables --flush',
      'nft flush ruleset',
      'ufw disable',
      'ufw --force reset',
      'ufw deny 22',
      'firewall-cmd --remove-service=ssh',
      'iptables-restore < rules',
      'ufw delete 3',
    ],
    passes: [
      'iptables -L -n -v',
      'iptables -S',
      'iptables-save',
      'nft list ruleset',
      'ufw status verbose',
      'firewall-cmd --list-all',
      'ipset list',
      'iptables -t nat -L',
      'iptables -C INPUT -j ACCEPT',
    ],
  },
  {
    id: 'kernel.change',
    title: 'changes the running kernel',
    why: 'a setting or module of the kernel counts for everything that runs',
    severity: 'high',
    tools: [
      'sysctl',
      'modprobe',
      'rmmod',
      'insmod',
      'setpci',
      'kpatch',
      'livepatch',
      'canonical-livepatch',
      'dkms',
      'mkdev',
      'mknod',
      'devmem',
      'devmem2',
      'memtool',
      'wrmsr',
      'msr-tools',
      'bpftool',
      'udevadm',
      'kextunload',
      'kextload',
      'kldunload',
      'kldload',
      'usbreset',
      'uhubctl',
      'hub-ctrl',
      'i2cset',
      'gpioset',
      'ipcrm',
      'renice',
      'chcpu',
      'chmem',
      'cgdelete',
      'cgset',
      'cgclassify',
      'prlimit',
      'ldconfig',
      'depmod',
      'nfsstat',
      'dmesg',
      'auditctl',
      'quotaoff',
      'quotaon',
      'zswap',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      switch (c.name) {
        case 'sysctl':
          return (
            has(c, '-w', '--write', '-p', '--load', '--system', '-f') || operands(c).some((word) => /=/.test(word))
          );
        case 'setpci':
          return /=/.test(text);
        case 'dkms':
          return /^(remove|uninstall|unbuild|autoinstall|install)\b/.test(text);
        case 'devmem':
        case 'devmem2':
          return operands(c).length > 2;
        case 'bpftool':
          return /\b(detach|delete|update|load|pin|attach|unload)\b/.test(text);
        case 'udevadm':
          return /^(trigger|control)\b/.test(text) && !has(c, '-n', '--dry-run');
        case 'uhubctl':
          return has(c, '-a', '--action');
        case 'chcpu':
          return has(c, '-d', '-g', '-p', '-e', '-c');
        case 'prlimit':
          return /-p|--pid/.test(text) && /=/.test(text);
        case 'depmod':
          return !has(c, '-n', '--dry-run', '--show');
        case 'nfsstat':
          return has(c, '-z', '--zero');
        case 'ldconfig':
          return !has(c, '-p', '--print-cache', '-N', '-v');
        case 'dmesg':
          return has(c, '-c', '-C', '--clear', '--read-clear', '-n', '-D', '-E');
        case 'auditctl':
          return has(c, '-D', '-d', '-e', '-W', '-A', '-a');
        case 'canonical-livepatch':
          return /^(disable|enable|refresh)/.test(text);
        case 'mknod':
        case 'mkdev':
          return false;
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'sysctl -w vm.swappiness=10',
      'sysctl kernel.panic=1',
      'sysctl -p',
      'rmmod nvidia',
      'modprobe -r zfs',
      'modprobe dummy',
      'insmod x.ko',
      'dmesg -C',
      'ipcrm -a',
      'renice -n 19 -p 5',
      'usbreset 001',
    ],
    passes: [
      'sysctl -a',
      'sysctl vm.swappiness',
      'modprobe -n x',
      'modprobe --show-depends x',
      'lsmod',
      'modinfo zfs',
      'dmesg',
      'dmesg -T',
      'udevadm info /dev/sda',
    ],
  },
];
