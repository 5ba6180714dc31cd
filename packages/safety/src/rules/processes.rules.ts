import { exact, has, operands, option } from './arguments.js';
import type { Rule } from './rule.js';

/** Signals that only ask whether the process is there, or wake it. */
const isHarmlessSignal = (signal: string): boolean =>
  /^-?(0|SIG(NULL|CONT|WINCH|CHLD|URG)|CONT|WINCH|CHLD|URG|18|28)$/i.test(signal);

export const PROCESSES: readonly Rule[] = [
  {
    id: 'power.down',
    title: 'shuts the machine down or restarts it',
    why: 'everything that runs on it ends',
    severity: 'critical',
    tools: [
      'shutdown',
      'reboot',
      'halt',
      'poweroff',
      'init',
      'telinit',
      'kexec',
      'pm-suspend',
      'pm-hibernate',
      'rtcwake',
      'systemd-sleep',
      'pmset',
      'restart-computer',
      'stop-computer',
      'Restart-Computer',
      'Stop-Computer',
      'rundll32',
      'upsmon',
      'upscmd',
      'upsdrvctl',
      'zpower',
      'molly-guard',
      'rpi-power',
      'tsshutdn',
      'psshutdown',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'shutdown':
          return !has(c, '-c', '-k', '--show') && !exact(c, '/a', '/?');
        case 'init':
        case 'telinit':
          return /^([0-6sSqQuU]|poweroff|reboot)$/.test(c.args[0] ?? '');
        case 'reboot':
        case 'halt':
        case 'poweroff':
          return !has(c, '-w', '--wtmp-only');
        case 'kexec':
          return has(c, '-e', '--exec', '-l', '--load', '-p', '-u');
        case 'rtcwake':
          return !/-m\s*(no|show|disable)|--mode[ =](no|show|disable)/.test(c.args.join(' '));
        case 'pmset':
          return (
            /\b(sleepnow|schedule|repeat|-a|-b|-c|-u|restoredefaults|displaysleepnow|boot)\b/.test(c.args.join(' ')) ||
            c.args.some((arg) => /^-[abcu]$/.test(arg))
          );
        case 'upsmon':
          return has(c, '-c');
        case 'upscmd':
          return !has(c, '-l') && c.args.length > 0;
        case 'rundll32':
          return /shutdown|SetSuspendState|ExitWindows/i.test(c.args.join(' '));
        default:
          return true;
      }
    },
    stops: [
      'reboot',
      'sudo shutdown -h now',
      'shutdown -r +5',
      'poweroff',
      'halt -p',
      'init 0',
      'telinit 6',
      'sudo reboot -f',
      'rtcwake -m mem -s 60',
      'ssh nas "sudo poweroff"',
    ],
    passes: [
      'shutdown -c',
      'shutdown --help',
      'shutdown -k now',
      'reboot --help',
      'last reboot',
      'init --version',
      'who -b',
    ],
  },
  {
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
  },
  {
    id: 'process.kill',
    title: 'ends processes',
    why: 'what a process has not written down is lost',
    severity: 'medium',
    tools: [
      'kill',
      'pkill',
      'killall',
      'killall5',
      'skill',
      'xkill',
      'fuser',
      'tskill',
      'taskkill',
      'stop-process',
      'Stop-Process',
      'snice',
      'slay',
      'pkexec-kill',
      'killpg',
      'qdel',
      'scancel',
      'bkill',
      'condor_rm',
      'tmux',
      'screen',
      'byobu',
      'zellij',
      'wkill',
      'fkill',
      'kill-port',
      'npx-kill',
      'criu',
    ],
    matches: (c) => {
      const args = c.args;
      switch (c.name) {
        case 'tmux':
        case 'byobu':
        case 'zellij':
          return /^(kill-(server|session|window|pane|all-sessions)|delete-session|delete-all-sessions|k|ka|d|da|killp|killw|kill-ses\w*|respawn-\w+|clear-history)$/.test(
            operands(c)[0] ?? '',
          );
        case 'screen':
          return (/\b(quit|kill)\b/.test(args.join(' ')) && has(c, '-X')) || has(c, '-wipe');
        case 'fuser':
          return has(c, '-k', '--kill') && !/-(0|SIGCONT)\b/.test(args.join(' '));
        case 'criu':
          return (args[0] ?? '').startsWith('dump') && !has(c, '--leave-running', '-R');
        default: {
          if (args.length === 0) return c.name === 'killall5' || c.name === 'xkill';
          if (/^(skill|snice)$/.test(c.name) && exact(c, '-n', '-l', '-L')) return false;
          if (/^(-l|-L|--list|--table|-V|--version)/.test(args[0] ?? '')) return false;
          const signal =
            option(c, '--signal') ??
            (/^(kill|killall|killall5)$/.test(c.name) ? option(c, '-s') : null) ??
            args.find((arg) => /^-(\d+|(SIG)?[A-Z][A-Z0-9]{2,})$/.test(arg)) ??
            '';
          const given = /^-n$/.test(args[0] ?? '') && c.name === 'kill' ? (args[1] ?? '') : signal;
          return !isHarmlessSignal(given);
        }
      }
    },
    stops: [
      'kill -9 123',
      'kill 123',
      'kill -KILL 1',
      'pkill -9 node',
      'pkill -f server',
      'killall nginx',
      'kill -s TERM 5',
      'fuser -k 80/tcp',
      'kill $(pgrep x)',
      'tmux kill-server',
      'screen -S x -X quit',
      'kill -HUP 1',
      'lsof -ti:80 | xargs kill',
    ],
    passes: [
      'kill -0 123',
      'kill -l',
      'pgrep node',
      'kill -s 0 5',
      'fuser 80/tcp',
      'pkill -0 x',
      'killall -l',
      'kill -CONT 5',
      'tmux ls',
      'screen -ls',
      'killall -0 nginx',
    ],
  },
  {
    id: 'process.ssh-master',
    title: 'ends a shared connection',
    why: 'all sessions that run over it are cut off',
    severity: 'low',
    tools: ['ssh'],
    matches: (c) => /^(exit|stop)$/.test(option(c, '-O') ?? ''),
    stops: ['ssh -O exit h'],
    passes: ['ssh -O check h', 'ssh h exit'],
  },
  {
    id: 'schedule.change',
    title: 'replaces or removes scheduled jobs',
    why: 'a crontab has no copy, and what it started no longer starts',
    severity: 'high',
    tools: ['crontab', 'fcrontab', 'atrm', 'at', 'incrontab', 'anacron', 'schtasks'],
    matches: (c) => {
      if (c.name === 'atrm') return true;
      if (c.name === 'at') return has(c, '-d', '-r');
      if (c.name === 'anacron') return has(c, '-u', '-f');
      if (c.name === 'schtasks') return /\/(delete|change|end|create)/i.test(c.args.join(' '));
      if (has(c, '-r', '-d', '--remove')) return true;
      if (has(c, '-l', '--list', '-T', '-V', '-c')) return false;
      return has(c, '-e', '--edit') || operands(c).length > 0 || c.input.kind !== 'none';
    },
    stops: [
      'crontab -r',
      'crontab -u bob -r',
      'crontab jobs.txt',
      '(crontab -l; echo "* * * * * x") | crontab -',
      'echo "" | crontab',
      'crontab -e',
      'atrm 3',
    ],
    passes: ['crontab -l', 'crontab -u bob -l', 'atq', 'crontab --help'],
  },
];
