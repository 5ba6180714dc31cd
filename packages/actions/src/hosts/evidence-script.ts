import type { EvidenceSubject } from '@aish/safety';
import { SHELL_MASK } from '@aish/secrets';

/**
 * Prints sections: a line with a title, and below it the output of a program, indented by two spaces, so that no log
 * can be mistaken for a title. A section has at most 3 s and 40 kB, and all sections together have about 9 s. The
 * script changes nothing, writes no file, and runs under dash and BusyBox sh. It is short because dropbear accepts no
 * command longer than 9000 bytes.
 */
const FUNCTIONS = String.raw`export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin:/usr/local/sbin"
unset IFS
begun=$(date +%s)
has() { command -v "$1" >/dev/null 2>&1; }
root() { if [ "$(id -u)" != 0 ] && has sudo && sudo -n -l "$@" >/dev/null 2>&1; then sudo -n "$@"; else "$@"; fi; }
indent() { exec awk '{ print "  " substr($0, 1, 1000); n++ } END { if (!n) print "  (nothing)" }'; }
part() {
  printf '%s\n' "$1"
  shift
  [ $(($(date +%s) - begun)) -lt 7 ] || { echo '  (no time was left for this)'; return; }
  # A program that nothing can kill goes its own way: it holds up neither this shell nor the connection.
  ({ "$@" 2>&1 | tail -n 500 | tail -c 40000 | mask; } </dev/null 2>/dev/null &) | indent &
  last=$!
  (
    sleep 3
    kill -9 "$last"
  ) >/dev/null 2>&1 </dev/null &
  guard=$!
  wait "$last" 2>/dev/null
  [ $? -lt 128 ] || echo '  (nothing within 3 s)'
  kill "$guard" 2>/dev/null
}
engine() {
  case $1 in podman*) e=podman ;; nerdctl*) e=nerdctl ;; *) e=docker ;; esac
  if "$e" ps >/dev/null 2>&1; then "$@"; else root "$@"; fi
}
unit_log() {
  unit=$2
  if [ -n "$1" ]; then
    journalctl --user -q --no-pager -o short-iso -n 500 -u "$unit"
    return
  fi
  [ -d /run/systemd/system ] && root journalctl -q --no-pager -o short-iso -n 500 -u "$unit"
  name=$(printf '%s' "$unit" | sed 's/\.[a-z]*$//')
  for file in "/etc/service/$name/log/main/current" "/var/log/$name/current" "/var/log/$name.log" "/var/log/$name"/*.log; do
    root [ -f "$file" ] 2>/dev/null && { echo "$file:"; root tail -n 200 "$file"; }
  done
  [ -d /run/systemd/system ] || for file in /var/log/syslog /var/log/messages; do
    root [ -f "$file" ] 2>/dev/null && root grep -F "$name" "$file" | tail -n 200
  done
}
unit_file() {
  unit=$2
  if [ -d /run/systemd/system ]; then
    systemctl $1 show "$unit" -p ActiveState,SubState,Result,ExecMainStatus,ExecMainCode,NRestarts,StateChangeTimestamp,MainPID,MemoryCurrent
    systemctl $1 cat "$unit"
  else
    for file in "/etc/service/$unit/run" "/etc/init.d/$unit"; do root [ -f "$file" ] && root cat "$file"; done
  fi
}
process() { ps -o pid,ppid,user,stat,etime,args -p "$1" 2>/dev/null; cat "/proc/$1/status" "/proc/$1/cgroup"; }
named() { for pid in $(pgrep -- "$1" | head -n 5); do process "$pid"; done; }
compose() { cd "$1" || return; shift; "$@"; }
host_log() { if [ -d /run/systemd/system ]; then systemctl --failed --no-pager --plain; root journalctl -q --no-pager -o short-iso -b -n 400; else root tail -n 400 /var/log/syslog || root tail -n 400 /var/log/messages; fi; }
containers() { for e in docker podman; do has "$e" && engine "$e" ps -a --no-trunc; done; }
processes() { ps -eo pid,ppid,user,stat,etime,rss,args 2>/dev/null || ps w; }
kernel() { root dmesg | tail -n 200; }
ports() { if has ss; then root ss -lntup; else root netstat -lntup; fi; }
`;

const GENERAL = String.raw`part 'processes' processes
part 'end of dmesg' kernel
part 'listening ports' ports
echo end
`;

/** Returns the command that a host runs before another command ends these subjects. */
export function evidenceCommand(subjects: readonly EvidenceSubject[]): string {
  // Comments would only make the script longer.
  const functions = FUNCTIONS.replaceAll(/^ *#.*\n/gm, '');
  const text = SHELL_MASK + functions + subjects.flatMap(partsOf).join('') + GENERAL;
  // The user's login shell may be any shell. It only has to start this one.
  return `exec sh -c ${quoted(text)}`;
}

function partsOf(subject: EvidenceSubject): readonly string[] {
  switch (subject.kind) {
    case 'unit': {
      const { name, ofUser } = subject;
      const options = ofUser ? '--user' : '';
      return [
        part(`log of ${name}`, 'unit_log', options, name),
        part(`state and file of ${name}`, 'unit_file', options, name),
      ];
    }
    case 'container': {
      const { engine, name } = subject;
      return [
        part(`log of ${name}`, 'engine', ...engine, 'logs', '--timestamps', '--tail', '500', name),
        part(`inspect ${name}`, 'engine', ...engine, 'inspect', name),
      ];
    }
    case 'compose': {
      const { engine, folder, services } = subject;
      const of = (title: string, ...words: readonly string[]) =>
        part(title, 'compose', folder ?? '.', 'engine', ...engine, ...words, ...services);
      return [of('log of the project', 'logs', '--no-color', '--timestamps', '--tail', '500'), of('its containers', 'ps', '-a')]; // prettier-ignore
    }
    case 'process':
      return [part(`process ${subject.name}`, subject.by === 'id' ? 'process' : 'named', subject.name)];
    case 'host':
      return [part('log of the host', 'host_log'), part('containers', 'containers')];
  }
}

function part(title: string, ...words: readonly string[]): string {
  return `part ${[title, ...words].map(quoted).join(' ')}\n`;
}

function quoted(word: string): string {
  // The shell on the host expands its user's home folder.
  const home = /^~(?=\/|$)/.test(word);
  const text = `'${(home ? word.slice(1) : word).replaceAll("'", `'\\''`)}'`;
  return home ? `"$HOME"${text}` : text;
}
