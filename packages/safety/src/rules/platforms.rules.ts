import type { Command } from '../shell/command.js';
import { isMutation } from './http-statements.js';
import { has } from './options.js';
import { table } from './table.js';

/** Verbs in the consoles of websites and hosting platforms that remove or stop something. */
const TAKES =
  'delete|remove|rm|destroy|reset|unset|rollback|restart|stop|suspend|down|scale|drop|kill|promote|revoke|disable|' +
  'purge|prune|transfer|rename|detach|wipe|restore|uninstall|unlink|deploy|publish|set|abandon';
const TASKS = TAKES.split('|')
  .map((verb) => `*:${verb}`)
  .join('|');

export const PLATFORMS = table`
rule    cloud.platform  high  deletes or replaces something on a hosting platform
why     a project, a site, its data or its secrets are gone or replaced

program gh
  values  -R --repo -X --method -H -f -F --jq -t --title -b --body -l --label -a --assignee -m --milestone -B --base --notes -n
  help    -h
  loses   api -X|--method=DELETE|PUT|PATCH|delete|put|patch -> what GitHub holds under that address
  odd     ${mutates}  what a query of GraphQL changes is in its text
  loses   repo delete|archive|rename|edit|deploy-key|autolink, repo sync --force -> a repository, or what it held
  loses   pr|issue close|merge|edit|lock|delete|transfer|unpin, pr update-branch|revert
  loses   release delete|edit|delete-asset, run|cache|gist|codespace|project delete, run cancel, gist edit|rename
  loses   secret|variable|ssh-key|gpg-key|label|org|ruleset|extension|alias|workflow remove|delete|edit|disable
  loses   secret|variable set, codespace stop|rebuild|edit, codespace ports visibility, extension upgrade, auth logout|refresh --reset-scopes
  loses   project close|edit|unlink|item-delete|item-archive|item-edit|field-delete, auth logout
  unless  repo deploy-key|autolink list|add|create|view
  reads   pr|issue|repo|run|release|gist|workflow|cache|label|secret|variable|ruleset|project|org list, status, auth status
  reads   pr|issue|repo|run|release|gist|workflow|ruleset|project view, pr status|diff|checks, issue status, search *
  harmless -R --repo --json --jq -q --template -t --limit -L --state -s --label -l --author -A --assignee -a --search -S
  harmless --comments -c --log --log-failed --job -j --verbose -v --exit-status --branch -b --workflow --user -u --event -e
  harmless --name-only --patch --color --owner --language --sort --order --visibility --topic --required --base -B --head -H
  stops   gh repo delete a/b --yes ; gh release delete v1 ; gh api -X DELETE /repos/a/b ; gh pr close 1 ; gh repo deploy-key delete 1
  stops   gh api graphql -f query='mutation{deleteRef(input:{}){x}}' ; gh secret set A -b x
  passes  gh pr list ; gh repo clone a/b ; gh pr create --fill ; gh api /user ; gh issue view 1 ; gh search repos delete
  passes  gh alias set x 'pr list' ; gh repo deploy-key list

program glab
  values  -R --repo -t --title -d --description -l --label -m --message
  help    -h
  loses   api -X|--method=DELETE|PUT|PATCH|delete|put|patch -> what GitLab holds under that address
  odd     ${mutates}  what a query of GraphQL changes is in its text
  loses   repo delete|archive|transfer|edit, mr|issue|incident close|merge|delete|update|edit|lock|rebase, mr revoke
  loses   ci cancel|delete, variable delete|set|update|remove, auth logout, alias delete, token revoke|rotate
  loses   release|label|milestone|schedule|snippet|ssh-key|deploy-key|gpg-key|runner|cluster|iteration|securefile delete|remove|edit
  loses   runner-controller|stack ... delete|remove
  reads   mr|issue|ci|repo|release|label|variable|schedule|snippet|milestone list, mr|issue|repo|release view, mr diff, ci status
  harmless -R --repo -F --output -P --per-page -p --page --all -A --closed --merged -a --assignee --author -l --label
  stops   glab repo delete a/b ; glab mr close 1 ; glab api --method DELETE projects/1 ; glab ci delete 5
  passes  glab mr list ; glab issue view 1 ; glab api projects ; glab mr create --fill

program heroku   values -a --app -r --remote   help -h
  loses   ${TASKS}|*:upgrade|*:copy|*:push|*:promote, restart|rollback|scale|stop|kill|destroy
  reads   apps|ps|releases|config|addons|domains|logs|status|regions, *:info   harmless -a --app -r --remote --json -n --num -s --shell
  stops   heroku apps:destroy -a x ; heroku pg:reset ; heroku config:unset A ; heroku restart   passes heroku logs ; heroku ps
program fly flyctl   values -a --app -c --config   help -h
  loses   ${TAKES}|move|logout, * ${TAKES}|update|release|failover|import, * * ${TAKES}
  reads   status|logs|info|version, apps|volumes|machine|ips|secrets|certs|regions|releases|orgs list
  harmless -a --app -j --json --all
  stops   fly apps destroy x ; fly deploy ; fly volumes delete vol_1 ; fly -a x secrets unset A   passes fly status ; fly logs
program vercel   help -h
  loses   ${TAKES}|redeploy, * ${TAKES}   reads ls|list|whoami|inspect|logs, domains|dns|env|certs|alias|projects|teams ls
  stops   vercel rm x ; vercel env rm A ; vercel rollback   passes vercel ls ; vercel env ls ; vercel dev
program netlify   help -h
  loses   ${TAKES}, ${TASKS}|*:import, api delete*|cancel*|update*|restore*   reads status, *:list
  stops   netlify sites:delete x ; netlify deploy --prod ; netlify env:set A b   passes netlify status ; netlify dev
program wrangler   dry --dry-run   help -h
  loses   ${TAKES}, ${TASKS}, * ${TAKES}|put|bulk, * * ${TAKES}|put, kv:key put
  odd     ${changesRows}  what it does is in its statement
  unless  secrets list
  reads   whoami|versions list|deployments list, kv|r2|d1|queues|pages list, d1 info
  stops   wrangler delete ; wrangler kv key delete x ; wrangler deploy ; wrangler d1 execute x --command 'update t set a=1'
  passes  wrangler dev ; wrangler d1 list ; wrangler deploy --dry-run ; wrangler d1 execute x --command 'select 1'
program firebase   values --project -P   help -h
  loses   ${TAKES}, ${TASKS}|*:update|*:import|*:clone   reads *:list, *:get
  stops   firebase firestore:delete --all-collections ; firebase deploy ; firebase database:set / a.json
  passes  firebase projects:list ; firebase serve
program railway
  loses   ${TAKES}|redeploy, * ${TAKES}|update   reads list|status|logs|whoami   stops railway down ; railway volume delete   passes railway logs
program kamal
  loses   ${TAKES}|redeploy|setup, * ${TAKES}|reboot|upgrade   reads details|config|version|audit
  stops   kamal remove ; kamal deploy ; kamal app stop   passes kamal details ; kamal build push

program wp
  dry     --dry-run
  loses   ... delete|remove|reset|drop|uninstall|deactivate|update|search-replace|import|flush|clean|empty|restore|regenerate
  loses   ... rollback|purge|disable|upgrade|rebuild|repair|trash|spam|move
  unless  ... list|get|check|status|info|search
  reads   ... list|get|status|info
  stops   wp db reset --yes ; wp plugin delete x ; wp search-replace a b ; wp post delete 1 --force
  passes  wp plugin list ; wp search-replace a b --dry-run ; wp user create a b
program drush
  dry     --simulate
  loses   ... cr|updb|updatedb|rebuild|si|cim|pmu|cc|sqlc-drop|*-drop|*-import|*-rebuild|*-delete|*-uninstall|*-cancel|*-flush|*-restore
  loses   ... *:drop|*:import|*:rebuild|*:delete|*:uninstall|*:cancel|*:flush|*:restore|*:install|*:sync|*:update|*:purge|*:disable|*:clear
  reads   status|watchdog:show|pm:list, config:get
  stops   drush sql-drop ; drush cr ; drush entity:delete node   passes drush status ; drush sql-dump
program occ nextcloud.occ
  dry     --dry-run --dry_run
  loses   *:delete|*:remove|*:disable|*:cleanup|*:clean|*:resetpassword|*:reset|*:update|*:repair|*:removeuser|*:import|*:restore|*:purge|*:set
  loses   maintenance:mode|upgrade|*:transfer-ownership|*:expire|*:flush|*:empty
  reads   *:list, *:info, *:report, status, check   harmless --output
  stops   occ trashbin:cleanup --all-users ; occ user:delete bob ; occ maintenance:mode --on ; occ app:disable x
  passes  occ user:list ; occ status ; occ files:scan --all
program ssh-keygen   complete
  loses   -R -> the host's known key   loses -p -> the key's passphrase
  odd     ${saysYes}  what it is fed says yes to overwriting a key
  stops   ssh-keygen -R host ; ssh-keygen -p -f k ; echo y | ssh-keygen -f k   passes ssh-keygen -t ed25519 -f k ; ssh-keygen -lf k
program gpg gpg2
  loses   --delete-*|--quick-revoke*|--quick-set-expire|--edit-key|--gen-revoke|--import-ownertrust|--yes
  stops   gpg --delete-secret-keys x ; gpg --yes -o a -d b   passes gpg --list-keys ; gpg -d b
program keytool
  loses   -delete|-changealias|-storepasswd|-keypasswd   stops keytool -delete -alias x -keystore k   passes keytool -list -keystore k
program security   loses delete-*|remove-*|set-*   stops security delete-keychain x   passes security list-keychains
program ssh-add   loses -d|-D   stops ssh-add -D   passes ssh-add -l
program kdestroy   loses ...   stops kdestroy -A   passes kdestroy --help
program pass gopass
  loses   rm|remove|delete|edit, mv|cp|move|copy -f|--force, recipients|mounts|templates remove|rm
  reads   show|ls|list|find|grep   harmless -o --password
  stops   pass rm x ; pass edit x   passes pass show x ; pass insert x ; gopass ls
program bw   loses delete|edit|restore   reads list|status   stops bw delete item x   passes bw list items
program op   loses * delete|edit|suspend|rm|revoke, signout --forget   reads * list|get   stops op item delete x   passes op item get x
program sops
  loses   -i|--in-place|-r|--rotate, set|unset|rotate|updatekeys   stops sops -i -e a.yml ; sops updatekeys a.yml   passes sops -d a.yml
program certbot
  values  -d --cert-name   dry --dry-run
  loses   delete|revoke|unregister|rollback|update_account|install|enhance, --force-renewal
  reads   certificates|plugins, show_account
  stops   certbot delete --cert-name x ; certbot renew --force-renewal   passes certbot certificates ; certbot renew --dry-run

program tailscale
  loses   down|logout|set|switch|lock|update, serve|funnel reset, --reset
  unless  lock status|log, switch --list
  reads   status|ip|netcheck|version|whois|ping, lock status   harmless --json --peers --active -4 -6 --self
  stops   tailscale down ; tailscale up --reset ; tailscale serve reset   passes tailscale status ; tailscale lock status
program pihole
  loses   disable|restartdns|uninstall|flush|reconfigure|updatePihole|checkout|repair, -up|-f|-r|-g
  loses   -w|-b|-wild|-regex|--white*|--black*|--wild|--regex -d|--delmode|-nr|--nuke
  loses   allow|deny|regex|wildcard|white*|black* -d|--delmode|-nr|--nuke
  reads   status|version
  stops   pihole disable ; pihole -up ; pihole -b -d a.com   passes pihole status ; pihole -b a.com
program unbound-control   values -c -s
  loses   flush*|reload*|stop|*_remove|*_removes|load_cache|set_option   reads status|stats_noreset|list_*|lookup|get_option
  stops   unbound-control flush_zone a ; unbound-control reload   passes unbound-control status
program rndc   values -c -s -p -k -y
  loses   flush*|reload|stop|halt|delzone|reconfig|retransfer|freeze|signing   reads status|zonestatus|showzone
  stops   rndc flush ; rndc stop   passes rndc status
program nsupdate   loses *   odd ${isFed}  it does what it is fed   stops nsupdate a.txt ; echo 'update delete a' | nsupdate   passes nsupdate -V
program dnscontrol   loses push   stops dnscontrol push   passes dnscontrol preview
program gitlab-ctl
  loses   stop|restart|reconfigure|kill|uninstall|cleanse|remove-accounts|hup|int|term|usr1|usr2|deploy-page|set-*|promote*|pg-*
  reads   status|service-list|show-config   stops gitlab-ctl reconfigure ; gitlab-ctl stop   passes gitlab-ctl status ; gitlab-ctl tail
program adb   values -s -P -H -L
  loses   uninstall|reboot|sideload|restore|push|root|remount|disable-verity   reads devices|version|get-state
  stops   adb uninstall a.b ; adb -s x reboot   passes adb devices ; adb install a.apk
`;

function mutates(c: Command, [first]: readonly string[]): boolean {
  return first === 'api' && isMutation(c.args.join(' '));
}

function changesRows(c: Command, [first, second]: readonly string[]): boolean {
  return (
    first === 'd1' && second === 'execute' && /\b(drop|delete|update|truncate|alter)\b/i.test(c.args.slice(2).join(' '))
  );
}

function saysYes(c: Command): boolean {
  return c.input.kind === 'text' && /^\s*y/i.test(c.input.text) && !has(c, '-l', '-y', '-F');
}

function isFed(c: Command): boolean {
  return c.input.kind !== 'none';
}
