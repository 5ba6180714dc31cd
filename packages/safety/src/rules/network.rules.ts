import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { isSink, isSystem } from './paths.js';
import { table } from './table.js';

export const NETWORK = table`
rule    network.change  high  changes addresses, routes or links of this machine
why     the machine may become unreachable

program ip
  values  -n -netns -f
  loses   ... del|delete|flush|set|replace|change|chg|append
  loses   a|ad|addr|addre|address|r|ro|rou|route|ru|rul|rule|n|ne|nei|neigh|neighbor|t|tu|tun|tunnel|m|ma|maddr add|a|d|de|f|fl|flu|r|re|rep|c|ch, xfrm * add|a|d|de|f|r|c, l|li|lin|link s|se|d|de|a
  loses   -batch|-force, -b !-br*
  stops   ip link set eth0 down ; ip addr flush dev eth0 ; ip route del default ; ip addr add 10.0.0.2/24 dev eth0 ; ip li de x
  passes  ip a ; ip addr show ; ip route ; ip -br link ; ip route get 1.1.1.1
program ifconfig iwconfig   loses * *   stops ifconfig eth0 down   passes ifconfig ; ifconfig eth0
program ifdown ifreload   loses *, -a|--all   stops ifdown eth0   passes ifdown --help
program route   loses ... add|del|delete|flush|change   stops route del default   passes route -n
program nmcli
  values  -f -g -m -c -e
  loses   ... down|delete|del|modify|mod|disconnect|off|reload|reapply|set|edit|up|hotspot|import|load
  loses   g|general hostname *, c|con|connection m|d|e|u, d|dev|device d|dis|r
  stops   nmcli con delete x ; nmcli con down x ; nmcli radio wifi off
  passes  nmcli dev status ; nmcli con show ; nmcli general hostname
program netplan   loses apply|try|set|rebind   stops netplan apply   passes netplan get
program networkctl
  loses   down|delete|reload|reconfigure|forcerenew|edit|mask|up|renew
  stops   networkctl down eth0
  passes  networkctl status
program brctl   loses delbr|delif|addif|stp|set*   stops brctl delbr br0   passes brctl show
program iw   loses ... del|set|disconnect|add   stops iw dev wlan0 del   passes iw dev
program ethtool
  loses   -s|-K|-G|-C|-A|-L|-E|-f|-r|-p|-t|-X|-N|-U|--change|--set-*|--reset|--flash|--offload|--features
  stops   ethtool -K eth0 tso off
  passes  ethtool eth0
program tc
  loses   ... del|delete|add|replace|change|flush
  stops   tc qdisc add dev eth0 root netem loss 100%
  passes  tc qdisc show
program bridge   loses ... del|add|set|replace|append   stops bridge fdb del x dev eth0   passes bridge fdb show
program wg   loses set|setconf|addconf|syncconf   stops wg set wg0 peer x remove   passes wg show
program arp   loses -d|-s|-f   stops arp -d 10.0.0.1   passes arp -a
program dhclient dhcpcd   loses -r|-x|-k|-n !-T   stops dhclient -r eth0   passes dhclient eth0
program resolvectl systemd-resolve
  loses   revert|reset-*, dns|domain|default-route|dnssec|llmnr|mdns * *
  stops   resolvectl dns eth0 1.1.1.1
  passes  resolvectl status ; resolvectl dns eth0
program resolvconf   loses -d|-a|-u   stops resolvconf -d eth0   passes resolvconf -l
program uci
  loses   set|delete|commit|add|add_list|del_list|import|rename|reorder|batch|revert
  stops   uci set network.lan.ipaddr=10.0.0.1
  passes  uci show
program vtysh   loses -c=conf*|clear*|no*|write*|reload*|copy*   stops vtysh -c 'conf t' -c 'no router bgp 1'   passes vtysh -c 'show ip route'
program birdc   loses ... configure*|disable*|restart*|reload*|down|graceful*   stops birdc disable x   passes birdc show protocols
program wpa_cli iwctl connmanctl
  loses   ... remove*|disconnect|disable*|terminate|forget|reassociate|reconfigure|flush|set_network|save_config|off|config
  stops   wpa_cli remove_network 0
  passes  wpa_cli status
program mii-tool   loses -r|-F|-A|-R   stops mii-tool -r eth0   passes mii-tool eth0
program sysrc   loses ... *=*, -x   stops sysrc sshd_enable=NO   passes sysrc -a
program macchanger   loses *   unless -s|--show|-l|--list   stops macchanger -r eth0   passes macchanger -s eth0
program airmon-ng   loses start|stop, check kill   stops airmon-ng start wlan0   passes airmon-ng check
program swconfig   loses ... set|load   stops swconfig dev switch0 set reset 1   passes swconfig dev switch0 show
program vconfig ifenslave   loses *   stops vconfig rem eth0.5   passes vconfig --help
program aireplay-ng mdk4 hping3 slowhttptest hydra arpspoof ettercap bettercap
  loses   *, -* -> who is reached through the network that it attacks
  stops   aireplay-ng -0 5 -a x wlan0
  passes  aireplay-ng --help

rule    remote.copy-over  medium  copies over files on another machine
why     an existing file with that name is replaced

program scp pscp
  odd     ${overSettings}  the place is the last operand, behind a host
  stops   scp nginx.conf h:/etc/nginx/nginx.conf
  passes  scp h:/etc/hosts . ; scp a h:/tmp/ ; scp a.tgz backup:
program sftp
  odd     ${changesThereInBatch}  its commands are in its input or in a file
  stops   sftp h <<< "rm a" ; echo "rm x" | sftp -b - h
  passes  sftp h
program ftp tftp smbclient winscp
  odd     ${changesThere}  what it is told stands within an argument or its input
  stops   ftp //h/s -c "del a"
  passes  ftp -L //h
`;

const SETTINGS_THERE = /:\/?(etc|usr|boot|bin|root\/\.|var\/www|opt|home\/\w+\/\.)/;
const CHANGES = /(^|[\s"';])(rm|rmdir|del|delete|mdelete|deltree|rename|put|mput|reput|chmod|chown)\s/;

function overSettings(_: Command, operands: readonly string[]): boolean {
  const place = operands.at(-1) ?? '';
  return SETTINGS_THERE.test(place) || isSystem(place.replace(/^[^:]*:/, ''));
}

function changesThere(c: Command): boolean {
  return CHANGES.test([...c.args, c.input.kind === 'text' ? c.input.text : ''].join(' '));
}

function changesThereInBatch(c: Command): boolean {
  return changesThere(c) || (has(c, '-b') && c.input.kind === 'none' && !isSink(c.args.at(-1) ?? '-'));
}
