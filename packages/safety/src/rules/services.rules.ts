import type { Command } from '../shell/command.js';
import { table } from './table.js';

export const SERVICES = table`
rule    service.stop  high  stops, restarts or disables services
why     users of the service are cut off, now or after the next start

program systemctl
  values  -H -M --host --machine -t --type --state -p --property -n --lines -o --output --root --signal -s --kill-whom
  dry     --dry-run
  help    -h
  complete
  unless  kill --signal=help|list
  loses   stop|restart|try-restart|reload|try-reload-or-restart|reload-or-restart|force-reload|condrestart|kill|clean|freeze
  loses   disable|mask|revert|preset|preset-all|reenable|unlink|edit|bind|mount-image -> how the service starts
  loses   isolate|rescue|emergency|default|halt|poweroff|reboot|kexec|soft-reboot|switch-root|exit|daemon-reexec -> all that runs
  loses   suspend|hibernate|hybrid-sleep|suspend-then-hibernate|sleep -> all that runs is stopped for a while
  loses   reset-failed|set-property|set-environment|unset-environment|cancel, set-default|log-level|service-watchdogs *
  makes   start|enable|daemon-reload|link|add-wants|import-environment|thaw
  reads   $, status|show|cat|list-*|is-*|get-default|help|show-environment
  harmless -* --*
  stops   systemctl stop nginx ; systemctl disable --now nginx ; systemctl --user mask x ; systemctl -H host stop x
  stops   systemctl isolate rescue.target ; systemctl kill x
  passes  systemctl status nginx ; systemctl start nginx ; systemctl enable nginx ; systemctl daemon-reload
program service rc-service invoke-rc.d
  loses   * *stop|*restart|*reload|zap|flush|kill|rotate|reset|upgrade|initdb|graceful*, --full-restart
  reads   * status
  stops   service nginx stop ; service nginx restart ; service nginx force-reload
  passes  service nginx status ; service nginx start
program sv s6-svc svc runsvctl
  loses   d|down|k|kill|t|term|restart|stop|force-*|x|exit|h|hup|1|2|reload|try-restart|shutdown|i|q|p
  loses   -d*, -k*, -t*, -x*, -h*, -p*, -i*, -q*, -r*, -T*
  stops   sv stop nginx ; sv -d x
  reads   s|status|check
  passes  sv status nginx ; sv up x
program supervisorctl   loses stop|restart|shutdown|reload|remove|signal|clear|update   stops supervisorctl stop all   passes supervisorctl status ; supervisorctl reread
program launchctl
  loses   unload|bootout|stop|kill|disable|remove|reboot|unsetenv|setenv|config, kickstart -k, limit * *
  stops   launchctl unload x ; launchctl kickstart -k x
  passes  launchctl list ; launchctl kickstart x ; launchctl limit maxfiles
program nginx apachectl apache2ctl httpd haproxy
  loses   -s=stop|quit|reload|reopen, -k=stop|restart|graceful*, stop|restart|graceful*, -sf, -st
  reads   $
  harmless -t -T -v -V
  stops   nginx -s stop ; nginx -k restart ; nginx restart
  passes  nginx -t
program caddy   complete   loses stop|reload|remove-package|upgrade|untrust, storage import, fmt --overwrite   stops caddy stop   passes caddy validate
program postsuper postqueue   loses -d|-r|-H|-f|-e   stops postsuper -d ALL   passes postsuper -p
program exim exim4   loses -Mrm*, -Mg*, -Mar*, -Mf*, -Mc*   stops exim -Mrm 1abc   passes exim -bp
program sc sc.exe net
  loses   stop|delete|config|failure|pause|rpc, user * *, use|share * /delete
  stops   sc stop x ; sc user bob secret
  passes  sc query ; sc start x
program loginctl
  loses   terminate-*|kill-*|lock-*|unlock-session*|disable-linger|flush-devices|detach
  reads   $, list*|show*|session-status|user-status
  harmless -* --*
  stops   loginctl terminate-user bob
  passes  loginctl list-sessions
program svcadm rcctl dinitctl monit initctl s6-rc circusctl cscli varnishadm asterisk
  loses   ... stop|restart|disable|refresh|clear|reload|kill|quit|delete|remove|unmonitor|down|shutdown|ban|rm|incr
  loses   ... change|reset|flush|prune|unregister
  odd     ${isToldTo}  the words may stand within one: -rx "core stop now"
  stops   svcadm disable x
  passes  svcadm enable x
program fail2ban-client   loses ... stop|restart|reload|unban|unbanip|banip|set|flushlogs   stops fail2ban-client set sshd unbanip 1.2.3.4   passes fail2ban-client status sshd
program squid   loses -k   stops squid -k shutdown   passes squid -v
program lpadmin   loses -x|-d|-p   stops lpadmin -x laser   passes lpadmin --help
program named zabbix_server dovecot   loses ... stop|reload|restart, -R   stops dovecot stop ; named -R x   passes named -v
program a2dissite a2dismod a2disconf cancel cupsdisable cupsreject lprm   loses ...   stops a2dissite x   passes a2dissite --help
program stop restart reload   loses * $   stops stop nginx   passes stop ; stop a b
program insserv crowdsec svcctl stop-service Stop-Service Restart-Service   loses -*, *   stops insserv -r x   passes insserv --help
`;

function isToldTo({ args }: Command): boolean {
  return args.some(
    (arg) =>
      / /.test(arg) && /\b(stop|restart|disable|clear|reload|kill|quit|delete|remove|ban|reset|flush)\b/.test(arg),
  );
}
