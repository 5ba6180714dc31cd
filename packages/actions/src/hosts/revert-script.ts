import type { HostRow } from '@aish/database/hosts.repository';
import type { Stake } from '@aish/safety';

/** How long a host waits for a sign-in of aish before it restores its state, in seconds. */
export const REVERT_AFTER_S = 60;

/** The steps of the script on a host. `check` changes nothing there. */
export type RevertMode = 'check' | 'arm' | 'renew' | 'confirm';

/**
 * Saves the files and settings that a connection depends on, and restores them unless a sign-in confirms the change in
 * time. The same text runs for each step, under dash and BusyBox sh, and stays on the host for the undo. One rename
 * decides between undo and confirmation: the folder of a change becomes `.back` or `.kept`, never both. Time is
 * measured by uptime, which clock changes do not affect. The script is short because dropbear accepts no command longer
 * than 9000 bytes.
 */
const SCRIPT = String.raw`export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin:/usr/local/sbin"
unset IFS
umask 077
cd /
self=$1 mode=$2 id=$3 kinds=$4 wait=$5 user=$6
base=/var/lib/aish-back
d=$base/$id
unit=/etc/systemd/system/aish-back.service wants=/etc/systemd/system/multi-user.target.wants
start=/etc/local.d/aish-back.start rcd=/etc/rc.d/S99aish-back crontab=/etc/cron.d/aish-back
has() { command -v "$1" >/dev/null 2>&1; }
of() { case " $kinds " in *" $1 "*) ;; *) return 1 ;; esac; }
now() { read -r up _ </proc/uptime; echo "\${up%%.*}"; }
systemd() { [ -d /run/systemd/system ]; }
say() { echo "$1 $2"; }
cron() { [ -d /etc/cron.d ] && pgrep -x "cron|crond" >/dev/null; }
# Files that the change may touch, from the root.
files() {
#if firewall
  of firewall && echo etc/nftables.conf etc/nftables.d etc/iptables etc/ufw etc/default/ufw etc/firewalld etc/sysconfig/iptables etc/sysconfig/nftables.conf etc/config/firewall
#fi
#if sshd
  of sshd && echo etc/ssh etc/default/ssh etc/hosts.allow etc/hosts.deny etc/security etc/pam.d etc/dropbear etc/default/dropbear etc/config/dropbear etc/systemd/system/ssh.service.d etc/systemd/system/ssh.socket.d etc/systemd/system/sshd.service.d "$keys"
#fi
#if network
  of network && echo etc/network etc/netplan etc/systemd/network etc/NetworkManager etc/sysconfig/network-scripts etc/wireguard etc/dhcpcd.conf etc/wpa_supplicant etc/config/network
#fi
  if of network || of dns; then echo etc/resolv.conf etc/hosts etc/nsswitch.conf etc/systemd/resolved.conf etc/systemd/resolved.conf.d; fi
}
units() {
#if firewall
  of firewall && echo nftables ufw firewalld iptables netfilter-persistent
#fi
#if sshd
  of sshd && echo ssh.socket ssh sshd dropbear
#fi
#if network
  of network && echo networking systemd-networkd NetworkManager dhcpcd
#fi
  if of network || of dns; then echo systemd-resolved; fi
}
states() { if systemd; then for u in $(units); do for s in active enabled; do systemctl -q is-$s "$u" 2>/dev/null && echo "$s $u"; done; done; fi; }
#if sshd
# The process that takes connections, and how it was started.
listener() {
  for p in $(pgrep -x sshd; pgrep -x dropbear); do
    args=$(tr "\0" " " <"/proc/$p/cmdline")
    case $args in *"[listener]"*) args=\${args#sshd: } args=\${args%% \[listener*} ;; "sshd:"* | "") continue ;; esac
    echo "$p $args"
    return
  done
}
#fi
#if network
addrs() { ip -o addr | awk "{ print \$2, \$3, \$4 (\$5 ~ /^(peer|brd)\$/ ? \" \" \$5 \" \" \$6 : \"\") }"; }
routes() { ip "-$1" -o route show table all 2>/dev/null | sed "s/\\\\//g; s/ linkdown//; s/ dead//; s/ expires [0-9]*sec//; s/ *$//" | grep -v "table local"; }
rules() { ip "-$1" rule 2>/dev/null | tr "\t" " "; }
#fi
#if firewall
rules_load() { { echo flush ruleset; cat "$1"; } | nft $2 -f -; }
tables() { "$1-save" 2>/dev/null | sed -n "s/^\*//p"; }
#fi
# Whether each kind can be restored. Changes nothing.
able() {
  for k in $kinds; do
    why=
    case $k in
#if firewall
      firewall)
        if has nft && nft list ruleset 2>/dev/null | rules_load - -c 2>/dev/null; then :
        elif has nft && nft list tables | grep -Evq "^table ip6? (filter|nat|mangle|raw|security)$"; then why="nft cannot load its own rules again"
        elif ! has iptables-save || ! iptables-save >/dev/null 2>&1; then why="it has neither nft nor iptables that works"; fi ;;
#fi
      network) has ip || why="it has no program ip" ;;
      sshd) [ -n "$(listener)" ] || systemd || why="no sshd was found that could be started again" ;;
    esac
    if [ -z "$why" ]; then say can "$k"; else say cannot "$k: $why"; fi
  done
}
unhook() { rm -f $unit $wants/aish-back.service $start $rcd $crontab; }
state() {
  if [ -d "$d" ]; then say armed; return; fi
  n=0
  while [ -d "$d.back" ] && [ ! -f "$d.back/result" ] && [ $n -lt 15 ]; do n=$((n + 1)); sleep 1; done
  if [ -f "$d.back/result" ]; then say back "$(cat "$d.back/result")"; elif [ -d "$d.back" ]; then say returning; else say gone; fi
}
renewed() { echo $(($(now) + wait)) >"$d/new" && mv "$d/new" "$d/until"; }
`;

/** The part of the script that saves, schedules and restores. Only a change needs it. */
const ARM = String.raw`save() {
  mkdir "$d/files"
  for f in $(files); do
    [ -e "/$f" ] || [ -L "/$f" ] || continue
    mkdir -p "$d/files/\${f%/*}" && cp -a "/$f" "$d/files/\${f%/*}/" || return
  done
  states >"$d/states"
  of sshd && listener >"$d/listener"
#if firewall
  if of firewall; then
    if has nft; then nft list ruleset >"$d/nft" || return; rules_load "$d/nft" -c 2>/dev/null || mv "$d/nft" "$d/no-nft"; fi
    for t in iptables ip6tables; do has $t-save && $t-save >"$d/$t" 2>/dev/null; done
    has ipset && ipset save >"$d/ipset" 2>/dev/null
  fi
#fi
#if network
  if of network && has ip; then
    ip -o link >"$d/links" && addrs >"$d/addrs" || return
    for v in 4 6; do routes $v >"$d/routes$v"; rules $v >"$d/rules$v"; done
  fi
#fi
  :
}
# What also runs the undo when the host starts.
hook() {
  line="sh $d/script - boot $id"
  if systemd; then
    printf "%s\n" "[Unit]" "After=network-online.target nftables.service ufw.service firewalld.service" "[Service]" "Type=oneshot" "ExecStart=/bin/$line" >$unit && mkdir -p $wants && ln -sf ../aish-back.service $wants/
  elif [ -d /etc/local.d ]; then printf "%s\n" "#!/bin/sh" "$line &" >$start && chmod 700 $start
  elif [ -f /etc/openwrt_release ]; then printf "%s\n" "#!/bin/sh" "$line &" >$rcd && chmod 700 $rcd
  elif cron; then echo "@reboot root $line" >$crontab
  else return 1; fi
}
looks() { ls -ldn "$1" 2>/dev/null | awk "{ print \$1, \$3, \$4 }"; }
same() { if [ -L "$1" ] || [ -L "$2" ]; then [ "$(readlink "$1")" = "$(readlink "$2")" ]; else cmp -s "$1" "$2"; fi && [ "$(looks "$1")" = "$(looks "$2")" ]; }
put_files() {
  find $(files | sed "s/^/\//; s/ / \//g") ! -type d 2>/dev/null | while read -r f; do
    [ -e "$d/files$f" ] || [ -L "$d/files$f" ] || { rm -f "$f"; echo "$f"; }
  done
  (cd "$d/files" && find . ! -type d) | while read -r f; do
    f=\${f#.}
    same "$d/files$f" "$f" && continue
    mkdir -p "\${f%/*}"
    # A file that is mounted can be written and not replaced.
    cp -a "$d/files$f" "$f.aish" && mv -f "$f.aish" "$f" 2>/dev/null || { rm -f "$f.aish"; cat "$d/files$f" >"$f"; }
    echo "$f"
  done
}
put_units() {
  systemd || return
  systemctl daemon-reload
  for u in $(units); do
    grep -qx "enabled $u" "$d/states" && ! systemctl -q is-enabled "$u" && systemctl unmask -q "$u" && systemctl enable -q "$u"
    grep -qx "enabled $u" "$d/states" || case $u in ssh*) ;; *) systemctl -q is-enabled "$u" && systemctl disable -q "$u" ;; esac
    if grep -qx "active $u" "$d/states"; then
      systemctl reset-failed "$u"
      case $u in
#if sshd
        ssh* | dropbear) p="/ssh|dropbear|pam|security|/hosts" ;;
#fi
        systemd-resolved) p= ;;
#if network
        networking | systemd-networkd | NetworkManager | dhcpcd) p="/network|NetworkM|dhcpcd" ;;
#fi
        *) p="tables|ufw|firewalld" ;;
      esac
      if echo "$changed" | grep -Eq "$p"; then systemctl restart "$u"; else systemctl start "$u"; fi
    else case $u in ssh*) ;; *) systemctl -q is-active "$u" && systemctl stop "$u" ;; esac; fi
  done
}
#if sshd
put_sshd() {
  read -r _ args <"$d/listener" || return
  at=$(listener)
  if [ -z "$at" ]; then setsid $args </dev/null >/dev/null 2>&1 &
  elif [ -n "$changed" ] && ! systemd; then kill -HUP "\${at%% *}"; fi
}
#fi
#if firewall
put_firewall() {
  [ -f "$d/ipset" ] && ipset restore -! <"$d/ipset"
  [ -f "$d/nft" ] && rules_load "$d/nft" && case $(iptables -V 2>/dev/null) in *legacy*) ;; *) return ;; esac
  if has nft && [ -f "$d/no-nft" ]; then nft list tables | while read -r _ t; do grep -q "^table $t {" "$d/no-nft" || nft delete table $t; done; fi
  for t in iptables ip6tables; do
    [ -f "$d/$t" ] || continue
    for n in $(tables $t); do
      grep -qx "\*$n" "$d/$t" && continue
      for c in INPUT FORWARD OUTPUT; do $t -t "$n" -P $c ACCEPT 2>/dev/null; done
      $t -t "$n" -F; $t -t "$n" -X
    done
    $t-restore <"$d/$t"
  done
}
#fi
#if network
each() { grep -Fxv -f "$2" "$1" | while read -r line; do "$3" $line; done; }
add_addr() { dev=$1; shift 2; ip addr add "$@" dev "$dev"; }
del_addr() { grep -q "^[0-9]*: $1[:@]" "$d/links" && ip addr del "$3" dev "$1"; }
add_route() { ip -$v route add "$@"; }
del_route() {
  a=" $* "
  case $a in *" dev "*) a=\${a#* dev }; grep -q "^[0-9]*: \${a%% *}[:@]" "$d/links" || return ;; esac
  ip -$v route del "$@"
}
add_rule() { p=$1; shift; ip -$v rule add pref "\${p%:}" "$@"; }
del_rule() { p=$1; shift; ip -$v rule del pref "\${p%:}" "$@"; }
put_network() {
  while read -r _ dev flags rest; do
    dev=\${dev%:} dev=\${dev%%@*}
    case ",\${flags#<}" in *,UP,* | *,UP\>*) up=up ;; *) up=down ;; esac
    if [ $up = up ] && ! ip -o link show "$dev" up 2>/dev/null | grep -q .; then
      for how in "ifup $dev" "wg-quick up $dev" "nmcli device connect $dev"; do has "\${how%% *}" && timeout 10 $how; done
    fi
    case $rest in *" master "*) m=\${rest#* master }; ip link set "$dev" master "\${m%% *}" ;; *) ip link set "$dev" nomaster ;; esac
    ip link set "$dev" $up
    case $rest in mtu*) m=\${rest#mtu }; ip link set "$dev" mtu "\${m%% *}" ;; esac
  done <"$d/links"
  for step in add_addr del_addr add_addr; do
    addrs >"$d/at"
    if [ $step = del_addr ]; then each "$d/at" "$d/addrs" $step; else each "$d/addrs" "$d/at" $step; fi
  done
  for v in 4 6; do
    for step in del add add; do
      routes $v >"$d/at"; rules $v >"$d/at2"
      if [ $step = del ]; then each "$d/at" "$d/routes$v" del_route; each "$d/at2" "$d/rules$v" del_rule
      else each "$d/routes$v" "$d/at" add_route; each "$d/rules$v" "$d/at2" add_rule; fi
    done
  done
}
#fi
undo() {
  [ -d "$d.back" ] || mv "$d" "$d.back" || exit 0
  d=$d.back
  read -r kinds <"$d/kinds"
  read -r keys <"$d/keys"
  exec >"$d/log" 2>&1
  changed=$(put_files)
  if of network; then
    case $changed in *netplan*) has netplan && timeout 30 netplan apply ;; esac
  fi
  put_units
  of sshd && put_sshd
  [ -f "$d/links" ] && put_network
  of firewall && put_firewall
  unhook
  date "+%H:%M:%S" >"$d/at"
  mv "$d/at" "$d/result"
  rm -rf "$d/files"
}
arm() {
  mkdir -p "$base"
  n=0
  until mkdir "$base/lock" 2>/dev/null; do n=$((n + 1)); [ $n -lt 10 ] || rmdir "$base/lock"; sleep 1; done
  trap "rmdir $base/lock" EXIT
  find "$base" -maxdepth 1 -name "*.back" -mtime +7 -exec rm -rf {} +
  for o in "$base"/*; do
    case $o in *.back | *.kept | */lock | *"*") continue ;; esac
    # The timer of a change was ended by somebody, or by a restart without a hook; as the host is reached, that change stays.
    left=$(($(cat "$o/until" || echo 0) - $(now)))
    if [ $left -gt -30 ] && [ $left -le "$(cat "$o/wait" || echo 0)" ]; then say busy; exit 3; fi
    rm -rf "$o"
  done
  mkdir "$d" || exit 4
  echo "$kinds" >"$d/kinds"
  echo "$keys" >"$d/keys"
  echo "$wait" >"$d/wait"
  printf "%s" "$self" >"$d/script"
  if ! save 2>"$d/log" || ! renewed; then
    say cannot "$(tail -n 1 "$d/log")"
    rm -rf "$d"
    exit 4
  fi
  if hook; then boot=boot; else boot=; fi
  if systemd && has systemd-run && systemd-run -q --collect --unit "aish-back-$id" sh "$d/script" - wait "$id"; then :
  elif has setsid; then setsid sh "$d/script" - wait "$id" </dev/null >/dev/null 2>&1 &
  else nohup sh "$d/script" - wait "$id" </dev/null >/dev/null 2>&1 & fi
  say ready $boot
}
`;

const STEPS = String.raw`case $mode in
  check) if [ "$(id -u)" = 0 ]; then able; if systemd || [ -d /etc/local.d ] || [ -f /etc/openwrt_release ] || cron; then say boot; fi; else say root; fi; say end ;;
  arm) [ "$(id -u)" = 0 ] || { say root; exit 4; }; keys=$(eval "echo ~$user"); keys=\${keys#/}/.ssh/authorized_keys; arm ;;
  renew) if renewed 2>/dev/null; then say armed; else state; fi ;;
  confirm) if mv "$d" "$d.kept" 2>/dev/null; then unhook; rm -rf "$d.kept"; say kept; else state; fi ;;
  wait) while [ -f "$d/until" ] && [ "$(now)" -lt "$(cat "$d/until")" ]; do sleep 2; done; undo ;;
  boot) sleep 5; if [ -d "$d" ] || { [ -d "$d.back" ] && [ ! -f "$d.back/result" ]; }; then undo; fi ;;
esac
exit
`;

/** Returns the command line for a host. Its user must be root there, or be able to become root without a password. */
export function revertCommand(mode: RevertMode, id: string, kinds: readonly Stake[], user: string): string {
  const text = (SCRIPT + (mode === 'arm' ? ARM : '') + STEPS)
    // The script keeps only the parts that these kinds need.
    .replaceAll(/^#if (\w+)\n([^]*?)^#fi\n/gm, (_, kind: Stake, part: string) => (kinds.includes(kind) ? part : ''))
    .replaceAll(/^ *(#.*)?\n/gm, '')
    .replaceAll(/^ +/gm, '')
    .replaceAll('\\${', '${');
  const words = `"$T" aish "$T" ${mode} ${id} "${kinds.join(' ')}" ${REVERT_AFTER_S} ${user}`;
  const become = 'if [ "$(id -u)" != 0 ] && sudo -n sh -c : 2>/dev/null; then exec sudo -n sh -c';
  // The user's login shell may be any shell. It only has to start this one.
  return `exec env T='${text.replaceAll("'", `'\\''`)}' sh -c '${become} ${words}; fi; exec sh -c ${words}'`;
}

/** The longest command that dropbear accepts, in bytes. Hosts with a stored key usually run this server. */
const DROPBEAR_MAX_BYTES = 9_000;
const AN_ID = '00000000-0000-0000-0000-000000000000';

export function isTooLong({ login, user }: Pick<HostRow, 'login' | 'user'>, kinds: readonly Stake[]): boolean {
  return login === 'key' && Buffer.byteLength(revertCommand('arm', AN_ID, kinds, user)) > DROPBEAR_MAX_BYTES;
}
