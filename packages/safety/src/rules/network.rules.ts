import { exact, has, operands, path } from './arguments.js';
import { isSink, isSystem } from './paths.js';
import type { Rule } from './rule.js';

export const NETWORK: readonly Rule[] = [
  {
    id: 'network.change',
    title: 'changes addresses, routes or links of this machine',
    why: 'the machine may no longer be reached',
    severity: 'high',
    tools: [
      'ip',
      'ifconfig',
      'ifdown',
      'ifup',
      'ifreload',
      'route',
      'nmcli',
      'nmtui',
      'netplan',
      'networkctl',
      'brctl',
      'ovs-vsctl',
      'ovs-ofctl',
      'iw',
      'iwconfig',
      'ethtool',
      'tc',
      'wg',
      'wg-quick',
      'arp',
      'dhclient',
      'dhcpcd',
      'resolvectl',
      'systemd-resolve',
      'resolvconf',
      'bridge',
      'teamdctl',
      'vconfig',
      'openvpn',
      'wpa_cli',
      'iwctl',
      'connmanctl',
      'uci',
      'swconfig',
      'vtysh',
      'birdc',
      'macchanger',
      'airmon-ng',
      'sysrc',
      'mii-tool',
      'ifenslave',
      'udhcpc',
      'dhcpcd5',
      'netcfg',
      'ipsec',
      'swanctl',
      'strongswan',
      'wifi',
      'aireplay-ng',
      'mdk4',
      'hping3',
      'slowhttptest',
      'hydra',
      'arpspoof',
      'ettercap',
      'bettercap',
    ],
    matches: (c) => {
      const text = path(c);
      const words = c.args.join(' ');
      switch (c.name) {
        case 'ip':
          return (
            /\b(del|delete|flush|set|replace|change|chg|append)\b/.test(text) ||
            /^(a|addr|address|r|ro|route|ru|rule|n|neigh|neighbor|tunnel|xfrm \w+|maddr) (add|a|d|de|f|r|c)\b/.test(
              text,
            ) ||
            /^(l|link) (s|d)\b/.test(text) ||
            /^netns (del|delete)/.test(text) ||
            exact(c, '-batch', '-b', '-force')
          );
        case 'ifconfig':
          return operands(c).length > 1;
        case 'route':
          return /\b(add|del|delete|flush|change)\b/.test(words);
        case 'nmcli':
          return (
            (/\b(down|delete|del|modify|mod|disconnect|d d|off|reload|reapply|set|edit|up|hotspot|import|load)\b/.test(
              text,
            ) &&
              !/^(general (status|hostname)?$|g$)/.test(text)) ||
            /^g(eneral)? hostname \S/.test(text) ||
            /^(c|con|connection) (m|d|e|u)\b|^(d|dev|device) (d|dis|r)\b|^(r|radio) \w+ off|^n(etworking)? off/.test(
              text,
            )
          );
        case 'netplan':
          return /^(apply|try|set|rebind)\b/.test(text);
        case 'networkctl':
          return /^(down|delete|reload|reconfigure|forcerenew|edit|mask|up|renew)\b/.test(text);
        case 'brctl':
          return /^(delbr|delif|addif|stp|set\w+)\b/.test(text);
        case 'ovs-vsctl':
        case 'ovs-ofctl':
          return /\b(del-\S+|set|clear|remove|destroy|emer-reset|mod-\S+|add-flow|replace-flows)\b/.test(words);
        case 'iw':
          return /\b(del|set|disconnect|add)\b/.test(words);
        case 'iwconfig':
          return operands(c).length > 1;
        case 'ethtool':
          return has(
            c,
            '-s',
            '-K',
            '-G',
            '-C',
            '-A',
            '-L',
            '-E',
            '-f',
            '-r',
            '-p',
            '-t',
            '-X',
            '-N',
            '-U',
            '--change',
            '--set-priv-flags',
            '--reset',
            '--flash',
            '--offload',
            '--features',
          );
        case 'tc':
          return /\b(del|delete|add|replace|change|flush)\b/.test(words);
        case 'wg':
          return /^(set|setconf|addconf|syncconf)\b/.test(text);
        case 'wg-quick':
          return /^(down|save)\b/.test(text);
        case 'arp':
          return has(c, '-d', '-s', '-f');
        case 'dhclient':
        case 'dhcpcd':
          return has(c, '-r', '-x', '-k', '-n') && !has(c, '-T');
        case 'resolvectl':
        case 'systemd-resolve':
          return (
            /^(revert|dns \S+ \S+|domain \S+ \S+|default-route \S+ \S+|dnssec \S+ \S+|llmnr \S+ \S+|mdns \S+ \S+|reset-\S+)/.test(
              text,
            ) || has(c, '--flush-caches-x')
          );
        case 'resolvconf':
          return has(c, '-d', '-a', '-u');
        case 'bridge':
          return /\b(del|add|set|replace|append)\b/.test(words);
        case 'uci':
          return /^(set|delete|commit|add|add_list|del_list|import|rename|reorder|batch|revert)\b/.test(text);
        case 'vtysh':
          return /\b(conf|clear|no |write|reload|copy)\b/.test(words);
        case 'birdc':
          return /\b(configure|disable|restart|reload|down|graceful)\b/.test(words);
        case 'ipsec':
        case 'swanctl':
        case 'strongswan':
          return /\b(stop|restart|down|reload|terminate|-t|purge\w*|update|rekey)\b/.test(words);
        case 'sysrc':
          return /=|-x/.test(words);
        case 'openvpn':
        case 'ifup':
        case 'udhcpc':
        case 'dhcpcd5':
        case 'nmtui':
        case 'wifi':
          return false;
        case 'wpa_cli':
        case 'iwctl':
        case 'connmanctl':
          return /\b(remove\w*|disconnect|disable\w*|terminate|forget|reassociate|reconfigure|flush|set_network|save_config|off|config)\b/.test(
            words,
          );
        case 'mii-tool':
          return has(c, '-r', '-F', '-A', '-R');
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'ip link set eth0 down',
      'ip addr flush dev eth0',
      'ip route del default',
      'ip addr add 10.0.0.2/24 dev eth0',
      'ifconfig eth0 down',
      'ifdown eth0',
      'nmcli con delete x',
      'nmcli con down x',
      'netplan apply',
      'route del default',
      'wg-quick down wg0',
      'tc qdisc add dev eth0 root netem loss 100%',
      'brctl delbr br0',
    ],
    passes: [
      'ip a',
      'ip addr show',
      'ip route',
      'ip -br link',
      'ifconfig',
      'nmcli dev status',
      'nmcli con show',
      'wg show',
      'ethtool eth0',
      'route -n',
      'resolvectl status',
      'iw dev',
      'netplan get',
      'ip route get 1.1.1.1',
    ],
  },
  {
    id: 'remote.copy-over',
    title: 'copies over files of another machine',
    why: 'what has that name there is replaced',
    severity: 'medium',
    tools: ['scp', 'sftp', 'ftp', 'tftp', 'smbclient', 'ncftpput', 'pscp', 'winscp'],
    matches: (c) => {
      const text = [...c.args, c.input.kind === 'text' ? c.input.text : ''].join(' ');
      if (c.name === 'scp' || c.name === 'pscp')
        return (
          /:\/?(etc|usr|boot|bin|root\/\.|var\/www|opt|home\/\w+\/\.)/.test(operands(c).at(-1) ?? '') ||
          isSystem((operands(c).at(-1) ?? '').replace(/^[^:]*:/, ''))
        );
      return (
        /(^|[\s"';])(rm|rmdir|del|delete|mdelete|deltree|rename|put|mput|reput|chmod|chown)\s/.test(text) ||
        (c.name === 'sftp' && has(c, '-b') && c.input.kind === 'none' && !isSink(c.args.at(-1) ?? '-'))
      );
    },
    stops: [
      'scp nginx.conf h:/etc/nginx/nginx.conf',
      'sftp h <<< "rm a"',
      'smbclient //h/s -c "del a"',
      'echo "rm x" | sftp -b - h',
    ],
    passes: ['scp h:/etc/hosts .', 'scp a h:/tmp/', 'sftp h', 'smbclient -L //h', 'scp a.tgz backup:'],
  },
];
