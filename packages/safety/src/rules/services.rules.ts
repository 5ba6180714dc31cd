import { exact, has, operands, option, path } from './arguments.js';
import type { Rule } from './rule.js';

/** Signals that only ask whether the process is there, or wake it. */
const isHarmlessSignal = (signal: string): boolean =>
  /^-?(0|SIG(NULL|CONT|WINCH|CHLD|URG)|CONT|WINCH|CHLD|URG|18|28)$/i.test(signal);

export const SERVICES: readonly Rule[] = [
  {
    id: 'service.stop',
    title: 'stops, restarts or disables services',
    why: 'who uses the service is cut off, now or after the next start',
    severity: 'high',
    tools: [
      'systemctl',
      'service',
      'rc-service',
      'rc-update',
      'sv',
      'initctl',
      'supervisorctl',
      'launchctl',
      'update-rc.d',
      'chkconfig',
      'invoke-rc.d',
      'insserv',
      'runsvctl',
      's6-svc',
      's6-rc',
      'svcadm',
      'monit',
      'pm2',
      'forever',
      'circusctl',
      'stop',
      'restart',
      'reload',
      'apachectl',
      'apache2ctl',
      'httpd',
      'nginx',
      'a2dissite',
      'a2dismod',
      'a2disconf',
      'dinitctl',
      'haproxy',
      'caddy',
      'postfix',
      'dovecot',
      'doveadm',
      'postsuper',
      'postqueue',
      'exim',
      'sc',
      'sc.exe',
      'net',
      'loginctl',
      'rcctl',
      'svc',
      'squid',
      'varnishadm',
      'lpadmin',
      'cancel',
      'cupsdisable',
      'cupsreject',
      'lprm',
      'asterisk',
      'fail2ban-client',
      'crowdsec',
      'cscli',
      'svcctl',
      'stop-service',
      'Stop-Service',
      'Restart-Service',
      'named',
      'zabbix_server',
    ],
    matches: (c) => {
      const text = path(c);
      const [first = '', second = ''] = operands(c);
      switch (c.name) {
        case 'systemctl':
          return (
            (/^(stop|restart|try-restart|reload|try-reload-or-restart|reload-or-restart|force-reload|condrestart|kill|disable|mask|isolate|rescue|emergency|halt|poweroff|reboot|kexec|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|soft-reboot|default|reset-failed|set-property|set-default|set-environment|unset-environment|daemon-reexec|switch-root|exit|clean|freeze|revert|edit|cancel|preset|preset-all|log-level|unlink|bind|mount-image|service-watchdogs|reenable|sleep)$/.test(
              first,
            ) &&
              !(/^(set-default|log-level|service-watchdogs)$/.test(first) && second === '')) ||
            (first === '' && has(c, '--force-x'))
          );
        case 'service':
        case 'rc-service':
        case 'invoke-rc.d':
          return (
            operands(c)
              .slice(1)
              .some((word) =>
                /^(stop|restart|reload|force-reload|force-stop|force-restart|condrestart|try-restart|zap|flush|kill|rotate|reset|upgrade|initdb|graceful\S*)$/.test(
                  word,
                ),
              ) || has(c, '--full-restart')
          );
        case 'rc-update':
        case 'update-rc.d':
          return /\b(del|delete|remove|disable)\b/.test(c.args.join(' '));
        case 'chkconfig':
          return /\b(off|--del|reset)\b/.test(c.args.join(' '));
        case 'sv':
        case 's6-svc':
        case 'svc':
        case 'runsvctl':
          return (
            /^(d|down|k|kill|t|term|restart|stop|force-\S+|x|exit|h|hup|1|2|reload|try-restart|shutdown|i|q|p)$/.test(
              c.args[0] ?? '',
            ) || c.args.some((arg) => /^-[dktxhpiqrT]/.test(arg))
          );
        case 'supervisorctl':
          return /^(stop|restart|shutdown|reload|remove|signal|clear|update)\b/.test(text) && !/^reread/.test(text);
        case 'launchctl':
          return (
            /^(unload|bootout|stop|kill|disable|remove|kickstart|reboot|unsetenv|setenv|limit .+ .+|config)\b/.test(
              text,
            ) && !(/^kickstart/.test(text) && !has(c, '-k'))
          );
        case 'pm2':
        case 'forever':
          return /^(stop|stopall|delete|del|kill|restart|restartall|reload|gracefulReload|flush|reset|unstartup|sendSignal|cleanlogs|scale|deepUpdate|update|uninstall)\b/.test(
            text,
          );
        case 'nginx':
        case 'apachectl':
        case 'apache2ctl':
        case 'httpd':
        case 'haproxy':
          return /(^|\s)(-s (stop|quit|reload|reopen)|-k (stop|restart|graceful\S*)|stop|restart|graceful\S*|-sf|-st)(\s|$)/.test(
            c.args.join(' '),
          );
        case 'caddy':
          return (
            /^(stop|reload|remove-package|upgrade|untrust|storage import)\b/.test(text) ||
            (/^fmt/.test(text) && exact(c, '--overwrite'))
          );
        case 'postsuper':
        case 'postqueue':
          return has(c, '-d', '-r', '-h', '-H', '-f', '-e');
        case 'postfix':
          return /^(stop|abort|drain|reload|flush|upgrade-\S+|set-permissions)/.test(text);
        case 'doveadm':
          return /\b(expunge|delete|kick|purge|move|rename|stop|reload|deduplicate|altmove|remove|set|sync|backup|import|force-resync|unset|flags)\b/.test(
            text,
          );
        case 'exim':
          return c.args.some((arg) => /^-M(rm|g|ar|f|c)/.test(arg));
        case 'sc':
        case 'sc.exe':
        case 'net':
          return /^(stop|delete|config|failure|pause|user .* \/delete|share .* \/delete|user \S+ \S+|use .* \/delete|rpc)\b/.test(
            c.args.join(' '),
          );
        case 'loginctl':
          return (
            /^(terminate-|kill-|lock-|disable-linger|flush-devices|detach)/.test(first) ||
            /^(lock|unlock)-session/.test(first)
          );
        case 'svcadm':
        case 'rcctl':
        case 'dinitctl':
        case 'monit':
        case 'initctl':
        case 's6-rc':
        case 'circusctl':
        case 'cscli':
        case 'varnishadm':
        case 'asterisk':
          return /\b(stop|restart|disable|refresh|clear|reload|kill|quit|delete|remove|unmonitor|down|shutdown|ban|rm|incr|-d|change|reset|flush|prune|unregister)\b/.test(
            c.args.join(' '),
          );
        case 'fail2ban-client':
          return /\b(stop|restart|reload|unban|unbanip|banip|set|flushlogs)\b/.test(text);
        case 'squid':
          return has(c, '-k');
        case 'lpadmin':
          return has(c, '-x', '-d', '-p');
        case 'named':
        case 'zabbix_server':
        case 'dovecot':
          return /\b(stop|reload|-R|restart)\b/.test(c.args.join(' '));
        case 'a2dissite':
        case 'a2dismod':
        case 'a2disconf':
        case 'cancel':
        case 'cupsdisable':
        case 'cupsreject':
        case 'lprm':
          return true;
        case 'stop':
        case 'restart':
        case 'reload':
          return operands(c).length === 1;
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'systemctl stop nginx',
      'systemctl restart nginx',
      'sudo systemctl disable --now nginx',
      'systemctl --user mask x',
      'service nginx stop',
      'service nginx restart',
      'systemctl -H host stop x',
      'supervisorctl stop all',
      'pm2 delete all',
      'rc-service x stop',
      'nginx -s stop',
      'launchctl unload x',
      'systemctl isolate rescue.target',
      'systemctl kill x',
    ],
    passes: [
      'systemctl status nginx',
      'systemctl start nginx',
      'systemctl enable nginx',
      'systemctl list-units',
      'systemctl is-active x',
      'service nginx status',
      'service --status-all',
      'nginx -t',
      'supervisorctl status',
      'pm2 list',
      'systemctl cat x',
      'systemctl daemon-reload',
      'apachectl configtest',
    ],
  },
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
          return /^([016sSqQuU]|poweroff|reboot)$/.test(c.args[0] ?? '');
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
          return /^dump/.test(args[0] ?? '') && !has(c, '--leave-running', '-R');
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
  {
    id: 'desktop.settings',
    title: 'changes or resets settings of a desktop',
    why: 'the old settings are not kept',
    severity: 'low',
    tools: [
      'gsettings',
      'dconf',
      'defaults',
      'xfconf-query',
      'kwriteconfig5',
      'kwriteconfig6',
      'reg',
      'regedit',
      'plutil',
      'PlistBuddy',
      'localectl',
      'hostnamectl',
      'timedatectl',
      'date',
      'hwclock',
      'hostname',
      'locale-gen',
      'nvidia-smi',
      'cpupower',
      'powerprofilesctl',
      'tuned-adm',
      'alternatives',
      'chsh',
      'chfn',
      'authselect',
      'raspi-gpio',
      'pinctrl',
      'scutil',
      'systemsetup',
      'networksetup',
      'domainname',
      'ntpdate',
      'chronyc',
      'machine-id-setup',
      'systemd-machine-id-setup',
      'rfkill',
      'bluetoothctl',
      'fsutil',
      'attrib',
      'icacls',
      'takeown',
      'cipher',
      'wevtutil',
      'clear-eventlog',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      switch (c.name) {
        case 'gsettings':
        case 'dconf':
          return /^(set|reset|reset-recursively|write|load|update)\b/.test(text);
        case 'defaults':
          return /\b(write|delete|rename|import|delete-all)\b/.test(text);
        case 'date':
          return has(c, '-s', '--set') || /^\d{8,12}(\.\d\d)?$/.test(operands(c)[0] ?? '');
        case 'hwclock':
          return has(c, '-w', '-s', '--systohc', '--hctosys', '--set', '--adjust');
        case 'hostname':
        case 'domainname':
          return operands(c).length > 0 || has(c, '-F', '-b');
        case 'timedatectl':
        case 'localectl':
        case 'hostnamectl':
          return /\b(set-|hostname \S|set |deployment \S|location \S|chassis \S|icon-name \S|revert)/.test(text);
        case 'nvidia-smi':
          return exact(
            c,
            '--gpu-reset',
            '-r',
            '-pm',
            '-pl',
            '-e',
            '-c',
            '-mig',
            '-lgc',
            '-ac',
            '--power-limit',
            '--persistence-mode',
          );
        case 'cpupower':
          return /\bset\b|frequency-set|idle-set/.test(text);
        case 'reg':
          return /^(delete|add|import|restore|unload|copy)\b/i.test(text);
        case 'chronyc':
          return /\b(makestep|delete|offline|reset|settime|shutdown)\b/.test(text);
        case 'rfkill':
          return /\b(block|toggle)\b/.test(text);
        case 'bluetoothctl':
          return /\b(remove|disconnect|power off|block|reset)\b/.test(text);
        case 'powerprofilesctl':
        case 'tuned-adm':
          return /^(set|profile|off)\b/.test(text);
        case 'plutil':
        case 'PlistBuddy':
          return /-(replace|remove|insert|convert)\b|\b(Set|Delete|Add|Clear|Merge)\b/.test(text);
        case 'scutil':
        case 'systemsetup':
        case 'networksetup':
          return /-(set|remove|delete)/.test(text);
        case 'wevtutil':
          return /^(cl|clear-log|sl)\b/.test(text);
        case 'xfconf-query':
          return has(c, '-s', '-r', '--set', '--reset', '-T');
        case 'chsh':
        case 'chfn':
          return !has(c, '-l', '--list-shells');
        case 'authselect':
          return /^(select|apply-changes|enable-feature|disable-feature|opt-out|backup-(remove|restore))/.test(text);
        case 'raspi-gpio':
        case 'pinctrl':
          return /\bset\b/.test(text);
        case 'alternatives':
          return exact(c, '--set', '--remove', '--auto', '--config', '--remove-all');
        case 'attrib':
          return /[-+][rash]/i.test(text);
        case 'systemd-machine-id-setup':
        case 'locale-gen':
        case 'ntpdate':
          return !has(c, '-q', '--print');
        default:
          return c.args.length > 0;
      }
    },
    stops: [
      'gsettings reset-recursively org.gnome.desktop',
      'date -s "2020-01-01"',
      'timedatectl set-time 2020-01-01',
      'hostnamectl set-hostname x',
      'defaults delete com.apple.x',
      'dconf reset -f /',
      'hwclock --systohc',
      'hostname newname',
    ],
    passes: [
      'date',
      'date +%F',
      'timedatectl',
      'hostnamectl',
      'gsettings get a b',
      'hostname',
      'hostname -I',
      'nvidia-smi',
      'defaults read x',
      'date -d yesterday',
    ],
  },
];
