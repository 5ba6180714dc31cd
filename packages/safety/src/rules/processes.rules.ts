import type { Command } from '../shell/command.js';
import { has, option } from './options.js';
import type { Rule } from './rule.js';
import { table } from './table.js';

const POWER = table`
rule    power.down  critical  shuts the machine down or restarts it
why     everything that runs on it ends

program shutdown   unless -c|-k|--show, /a, /?   loses ...   stops shutdown -h now ; shutdown -r +5   passes shutdown -c ; shutdown --help ; shutdown -k now
program reboot halt poweroff   loses !-w|--wtmp-only ...   stops reboot ; sudo reboot -f ; ssh nas "sudo reboot"   passes reboot --help ; reboot -w ; last reboot
program init telinit   loses 0|1|2|3|4|5|6|s|S|q|Q|u|U|poweroff|reboot   stops init 0   passes init --version ; who -b
program kexec   loses -e|--exec|-l|--load|-p|-u   stops kexec -e   passes kexec --help
program rtcwake   odd ${sleeps}  -m no, show and disable put nothing to sleep   stops rtcwake -m mem -s 60   passes rtcwake -m show
program pmset   loses ... sleepnow|schedule|repeat|restoredefaults|displaysleepnow|boot, -a|-b|-c|-u   stops pmset sleepnow   passes pmset -g
program upsmon   loses -c   stops upsmon -c fsd   passes upsmon --help
program upscmd   loses !-l -*, !-l *   stops upscmd ups shutdown.return   passes upscmd -l ups
program rundll32   odd ${endsWindows}  the function's name stands within a word   stops rundll32 user32.dll,ExitWindowsEx   passes rundll32 printui.dll,PrintUIEntry
program systemd-sleep pm-suspend pm-hibernate restart-computer stop-computer Restart-Computer Stop-Computer upsdrvctl
  loses   ...   stops systemd-sleep suspend   passes systemd-sleep --help
`;

const KERNEL_KEY: Rule = {
  id: 'power.kernel-key',
  title: 'asks the kernel to stop, restart or drop something',
  why: 'the machine stops at once, without saving anything',
  severity: 'critical',
  matches: (c) =>
    c.redirections.find(
      ({ operator, target }) =>
        operator.includes('>') &&
        /^\/(proc\/sysrq-trigger|sys\/power\/|proc\/sys\/kernel\/sysrq|sys\/.*\/(remove|delete|unbind|reset|remove_id)$)/.test(
          target.text,
        ),
    )?.target ?? false,
  stops: ['echo b > /proc/sysrq-trigger', 'echo mem > /sys/power/state', 'echo 1 >> /sys/block/sda/device/delete'],
  passes: ['cat /proc/sys/kernel/sysrq', 'cat /sys/power/state'],
};

const ENDING = table`
rule    process.kill  medium  ends processes
why     unsaved data of a process is lost

program kill
  complete
  odd     ${sendsSignal}  some signals only ask or wake
  stops   kill -9 123 ; kill 123 ; kill -KILL 1 ; kill -s TERM 5 ; kill $(pgrep x) ; kill -HUP 1 ; lsof -ti:80 | xargs kill
  passes  kill -0 123 ; kill -l ; kill -s 0 5 ; kill -CONT 5
program pkill killall
  complete
  odd     ${sendsSignal}  some signals only ask or wake
  stops   pkill -9 node ; pkill nginx
  passes  pkill -0 x ; pkill -l ; pgrep node
program start-stop-daemon   unless -t|--test   loses -K|--stop   stops start-stop-daemon -K -p a.pid   passes start-stop-daemon -S -x /usr/sbin/x
program killall5 xkill   odd ${sendsSignalToAll}  without words they take what they find   stops killall5 ; killall5 -9   passes killall5 -l
program skill snice   unless -n, -l, -L   odd ${sendsSignal}  some signals only ask or wake   stops skill -9 bob   passes skill -l
program taskkill tskill   unless /?   loses *, -*   stops taskkill /pid 5   passes taskkill /?
program stop-process Stop-Process slay pkexec-kill killpg wkill fkill kill-port npx-kill
  odd     ${sendsSignal}  some signals only ask or wake
  stops   stop-process 5
  passes  stop-process --help
program fuser   odd ${killsUsers}  some signals only ask or wake   stops fuser -k 80/tcp   passes fuser 80/tcp ; fuser -k -0 80/tcp
program tmux byobu zellij
  loses   kill-server|kill-session|kill-window|kill-pane|kill-all-sessions|delete-session|delete-all-sessions
  loses   k|ka|d|da|killp|killw|kill-ses*|respawn-*|clear-history
  stops   tmux kill-server
  passes  tmux ls
program screen   loses -X ... quit|kill, -wipe   stops screen -S x -X quit   passes screen -ls
program criu   loses dump* !--leave-running|-R   stops criu dump -t 5   passes criu check

rule    process.ssh-master  low  ends a shared connection
why     all sessions that run over it are cut off

program ssh   odd ${endsMaster}  what follows the host is another program's   stops ssh -O exit h   passes ssh -O check h ; ssh h exit

rule    schedule.change  high  replaces or removes scheduled jobs
why     a crontab has no backup, and its jobs no longer start

program crontab fcrontab incrontab scrontab
  values  -u
  loses   -r|-d|--remove
  odd     ${replacesTable}  a table may come from a file or from what it reads
  reads   ...
  harmless -l -u
  stops   crontab -r ; crontab -u bob -r ; crontab jobs.txt ; (crontab -l; echo "* * * * * x") | crontab - ; echo "" | crontab ; crontab -e
  passes  crontab -l ; crontab -u bob -l ; crontab --help
program atrm   loses ...   stops atrm 3   passes atrm --help ; atq
program at   loses -d|-r   stops at -d 3   passes at -l
program anacron   loses -u|-f   stops anacron -f   passes anacron -T
program schtasks   odd ${changesTask}  its options begin with a slash   stops schtasks /create /tn x   passes schtasks /query
`;

export const PROCESS_TABLES = [...POWER, ...ENDING];
export const PROCESSES = [...POWER, KERNEL_KEY, ...ENDING];

function sleeps({ args }: Command): boolean {
  return !/-m\s*(no|show|disable)|--mode[ =](no|show|disable)/.test(args.join(' '));
}

function endsWindows({ args }: Command): boolean {
  return /shutdown|SetSuspendState|ExitWindows/i.test(args.join(' '));
}

/** Signals that only check whether the process exists, or wake it up. */
const HARMLESS_SIGNAL = /^-?(0|SIG(NULL|CONT|WINCH|CHLD|URG)|CONT|WINCH|CHLD|URG|18|28)$/i;

function sendsSignal(c: Command): boolean {
  const [first = '', second = ''] = c.args;
  if (c.args.length === 0 || /^(-l|-L|--list|--table|-V|--version)/.test(first)) return false;
  if (c.name === 'kill' && first === '-n') return !HARMLESS_SIGNAL.test(second);
  const signal =
    option(c, '--signal') ??
    (/^(kill|killall|killall5)$/.test(c.name) ? option(c, '-s') : null) ??
    c.args.find((arg) => /^-(\d+|(SIG)?[A-Z][A-Z0-9]{2,})$/.test(arg)) ??
    '';
  return !HARMLESS_SIGNAL.test(signal);
}

function sendsSignalToAll(c: Command): boolean {
  return c.args.length === 0 || sendsSignal(c);
}

function killsUsers(c: Command): boolean {
  return has(c, '-k', '--kill') && !/-(0|SIGCONT)\b/.test(c.args.join(' '));
}

function endsMaster(c: Command): boolean {
  return /^(exit|stop)$/.test(option(c, '-O') ?? '');
}

function replacesTable(c: Command, operands: readonly string[]): boolean {
  if (has(c, '-l', '--list', '-T', '-V', '-c')) return false;
  return has(c, '-e', '--edit') || operands.length > 0 || c.input.kind !== 'none';
}

function changesTask({ args }: Command): boolean {
  return /\/(delete|change|end|create)/i.test(args.join(' '));
}
