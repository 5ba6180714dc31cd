import { exact, has, operands, path } from './arguments.js';
import type { Rule } from './rule.js';

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
                /^(?:one|force|quiet)?(stop|restart|reload|force-reload|force-stop|force-restart|condrestart|try-restart|zap|flush|kill|rotate|reset|upgrade|initdb|graceful\S*)$/.test(
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
          return (
            /^(stop|restart|shutdown|reload|remove|signal|clear|update)\b/.test(text) && !text.startsWith('reread')
          );
        case 'launchctl':
          return (
            /^(unload|bootout|stop|kill|disable|remove|kickstart|reboot|unsetenv|setenv|limit .+ .+|config)\b/.test(
              text,
            ) && !(text.startsWith('kickstart') && !has(c, '-k'))
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
            (text.startsWith('fmt') && exact(c, '--overwrite'))
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
];
