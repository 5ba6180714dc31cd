import { read } from '../classify.js';
import { knownReadOnly } from '../known-read-only.js';
import type { Command } from '../shell/command.js';
import { untold } from '../untold.js';

/** The parts of a host that a connection to it depends on, and that the host can restore by itself. */
export const STAKES = ['firewall', 'sshd', 'network', 'dns'] as const;
export type Stake = (typeof STAKES)[number];

/** The ways in which a command on a host could cut its own connection. */
export interface ConnectionStakes {
  readonly kinds: readonly Stake[];
  /** Programs that could cut the connection and whose effect cannot be undone, such as `tc`. */
  readonly lasting: readonly string[];
  /**
   * Parts of the text that do not show their effect, such as `./fmt.sh`. If there are any, all kinds of stakes are
   * assumed.
   */
  readonly hidden: readonly string[];
}

const NONE: ConnectionStakes = { kinds: [], lasting: [], hidden: [] };

/** Programs that change one of the stakes. Some of their uses only read. */
const PROGRAMS: ReadonlyMap<string, Stake> = new Map(
  Object.entries({
    firewall:
      'nft iptables ip6tables iptables-restore ip6tables-restore iptables-nft iptables-legacy iptables-apply ipset ufw firewall-cmd firewall-offline-cmd netfilter-persistent shorewall ferm fwconsole',
    sshd: 'sshd dropbear sshd_config',
    network:
      'ip ifconfig route ifup ifdown ifenslave netplan nmcli nmtui networkctl brctl bridge dhclient dhcpcd udhcpc wg wg-quick wpa_cli iw iwconfig vconfig teamdctl',
    dns: 'resolvectl systemd-resolve resolvconf',
  } satisfies Record<Stake, string>).flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, Stake] => [name, kind as Stake]),
  ),
);
const UNITS: readonly (readonly [Stake, RegExp])[] = [
  [
    'firewall',
    /^(nftables|ufw|firewalld|iptables|ip6tables|netfilter-persistent|shorewall|ferm|firewall)(\.service)?$/,
  ],
  ['sshd', /^(sshd?|dropbear|sshd?@.*)(\.(service|socket))?$/],
  ['network', /^(networking|network|networkd|systemd-networkd|NetworkManager|wpa_supplicant.*|dhcpcd|wg-quick@.*|ifup@.*|wicked|netctl.*)(\.(service|socket))?$/], // prettier-ignore
  ['dns', /^(systemd-resolved|resolvconf)(\.service)?$/],
];
const FILES: readonly (readonly [Stake, RegExp])[] = [
  [
    'firewall',
    /^\/etc\/(nftables|iptables|ufw|default\/ufw|firewalld|sysconfig\/(ip6?tables|nftables)|config\/firewall)/,
  ],
  ['sshd', /^\/etc\/(ssh($|\/(sshd|.*_key|$))|default\/(ssh|dropbear)|dropbear|hosts\.(allow|deny)|pam\.d\/(sshd|common-|login)|security\/access|config\/dropbear|systemd\/system\/sshd?\.)|\.ssh(\/authorized_keys|\/?$)/], // prettier-ignore
  ['network', /^\/etc\/(network(\/|$)|netplan|systemd\/network|NetworkManager|sysconfig\/network|wireguard|dhcpcd\.conf|wpa_supplicant|config\/network)/], // prettier-ignore
  ['dns', /^\/etc\/(resolv\.conf|hosts$|nsswitch\.conf|systemd\/resolved|resolvconf)/],
];
/** Programs that change the connection in ways that a host cannot revert, because nothing saves the previous state. */
const LASTING = /^(tc|ethtool|rfkill|modprobe|rmmod|ovs-vsctl|ebtables|arptables|nstat|setenforce)$/;
/** Programs that run commands in the shell or network of another machine, a container or a guest. */
const ELSEWHERE =
  /^(ssh|sshpass|mosh|kubectl|oc|docker|podman|nerdctl|docker-compose|podman-compose|pct|lxc|incus|qm|machinectl|systemd-nspawn|chroot|arch-chroot|nsenter)$/;
const SERVICE = /^(systemctl|service|rc-service|rc-update|invoke-rc\.d|sv|update-rc\.d)$/;
/** Programs whose last word is the file that they write. */
const COPIES = /^(cp|install|ln|rsync|scp)$/;
const KILLS = /^(kill|pkill|killall)$/;
/**
 * Hooks, and scripts of packages and services. They run code, but this code is not expected to change the network of a
 * host.
 */
const ELSE = /^((git|npm|pnpm|yarn|bun)\b|\/etc\/init\.d\/)/;

/** Returns the parts of the connection to a host that a command line for it could change. Pure. */
export function connectionStakes(command: string): ConnectionStakes {
  if (knownReadOnly(command)) return NONE;
  const reading = read(command);
  if ('ruleId' in reading) return { kinds: STAKES, lasting: [], hidden: ['this text'] };
  const here = reading.commands.filter((each, _, all) => !isElsewhere(each, all));
  const changing = here.filter((each) => !knownReadOnly(textOf(each)));
  const kinds = new Set(changing.flatMap(kindsOf));
  const hidden = here.flatMap((each) => untold(each) ?? []).filter((part) => !ELSE.test(part));
  const lasting = changing.filter((each) => LASTING.test(each.name) || isNetworkSetting(each));
  return {
    kinds: STAKES.filter((kind) => hidden.length > 0 || kinds.has(kind)),
    lasting: [...new Set(lasting.map(({ name }) => name))],
    hidden: kinds.size === 0 ? [...new Set(hidden)] : [],
  };
}

function kindsOf(c: Command): readonly Stake[] {
  const { name, args, redirections } = c;
  const found: Stake[] = [];
  const program = PROGRAMS.get(name);
  // `ip netns exec x …` affects another network.
  if (program !== undefined && !(name === 'ip' && args.find((word) => !word.startsWith('-')) === 'netns'))
    found.push(program);
  if (SERVICE.test(name)) found.push(...args.flatMap((word) => matching(UNITS, word.split('/').at(-1) ?? '')));
  if (c.path.startsWith('/etc/init.d/')) found.push(...matching(UNITS, name));
  if (KILLS.test(name) && /\b(sshd|dropbear)\b/.test(textOf(c))) found.push('sshd');
  const words = COPIES.test(name) ? args.slice(-1) : args;
  const written = redirections.filter(({ operator }) => operator.includes('>')).map(({ target }) => target.text);
  found.push(...[...words, ...written].flatMap((word) => matching(FILES, word.replace(/^\w+=(?=\/)/, ''))));
  return found;
}

const matching = (list: readonly (readonly [Stake, RegExp])[], word: string): readonly Stake[] =>
  list.flatMap(([kind, pattern]) => (pattern.test(word) ? [kind] : []));

const isNetworkSetting = ({ name, args }: Command): boolean =>
  name === 'sysctl' && args.some((word) => /^net[./]/.test(word) || /^(-p|--load|--system)/.test(word));

/** Whether the command runs inside something that is not the host itself. */
function isElsewhere(each: Command, commands: readonly Command[]): boolean {
  return commands.some((outer) => {
    if (outer === each || !(ELSEWHERE.test(outer.name) || isNamespace(outer))) return false;
    const [from, to] = outer.source.spanOf(outer.pos, outer.end);
    const [start, end] = each.source.spanOf(each.pos, each.end);
    return from <= start && end <= to && (to - from > end - start || outer.args.length > each.args.length);
  });
}

const isNamespace = ({ name, args }: Command): boolean => name === 'ip' && args.includes('netns');

function textOf({ source, pos, end }: Command): string {
  return source.text.slice(pos, end);
}
