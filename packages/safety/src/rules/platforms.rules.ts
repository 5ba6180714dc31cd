import { exact, has, operands, option, path } from './arguments.js';
import { isMutation } from './http.rules.js';
import type { Rule } from './rule.js';

export const PLATFORMS: readonly Rule[] = [
  {
    id: 'cloud.platform',
    title: 'deletes or replaces what a platform hosts',
    why: 'a project, a site, its data or its secrets are gone or replaced',
    severity: 'high',
    tools: [
      'gh',
      'glab',
      'heroku',
      'fly',
      'flyctl',
      'vercel',
      'netlify',
      'wrangler',
      'firebase',
      'railway',
      'render',
      'surge',
      'cloudflared',
      'tailscale',
      'headscale',
      'zerotier-cli',
      'ngrok',
      'hub',
      'tea',
      'act_runner',
      'stripe',
      'op',
      'bw',
      'pass',
      'gopass',
      'lpass',
      'certbot',
      'acme.sh',
      'step',
      'gpg',
      'gpg2',
      'ssh-keygen',
      'keytool',
      'security',
      'secret-tool',
      'keyctl',
      'ssh-add',
      'kdestroy',
      'sops',
      'age',
      'lego',
      'flarectl',
      'dnscontrol',
      'nsupdate',
      'cli53',
      'n8n',
      'node-red-admin',
      'docker-hub',
      'twine',
      'poetry-publish',
      'adb',
      'mosquitto_ctrl',
      'unifi',
      'omv-salt',
      'synopkg',
      'tdarr',
      'occ',
      'wp',
      'drush',
      'magento',
      'bin/magento',
      'discourse',
      'mastodon',
      'tootctl',
      'gitea',
      'forgejo',
      'gitlab-rake',
      'gitlab-ctl',
      'pihole',
      'unbound-control',
      'rndc',
      'plesk',
      'cpanel',
      'whmapi1',
      'kamal',
      'capistrano',
      'cap',
      'nextcloud.occ',
      'paperless',
      'immich',
    ],
    matches: (c) => {
      const text = path(c);
      const words = c.args.join(' ');
      switch (c.name) {
        case 'gh':
        case 'glab':
          if (/^api\b/.test(text))
            return /^(DELETE|PUT|PATCH)$/i.test(option(c, '-X', '--method') ?? '') || isMutation(words);
          if (/^(search|browse|status)\b/.test(text)) return false;
          return (
            (/^(\w[\w-]* )+?(delete|archive|rename|transfer|remove|unlink|close|cancel|disable|edit|merge|lock|revoke|reset|stop|sync --force|delete-asset|rebuild|uninstall|logout)\b/.test(
              text,
            ) &&
              !/^(issue|mr|pr) (view|list)/.test(text)) ||
            (/^(secret|variable|ssh-key|gpg-key|release|label|run|cache|gist|codespace|alias|extension) (delete|remove|set)\b/.test(
              text,
            ) &&
              !text.startsWith('alias set')) ||
            (text.startsWith('repo sync') && has(c, '--force'))
          );
        case 'ssh-keygen':
          // `y` on its input says yes to overwriting a key.
          return (
            has(c, '-R', '-p') || (c.input.kind === 'text' && /^\s*y/i.test(c.input.text) && !has(c, '-l', '-y', '-F'))
          );
        case 'gpg':
        case 'gpg2':
          return (
            c.args.some((arg) =>
              /^--(delete-\S+|quick-revoke\S*|quick-set-expire|edit-key|gen-revoke|import-ownertrust)$/.test(arg),
            ) || exact(c, '--yes')
          );
        case 'adb':
          return /^(uninstall|reboot|sideload|restore|push|root|remount|disable-verity)\b/.test(text);
        case 'keytool':
          return exact(c, '-delete', '-changealias', '-storepasswd', '-keypasswd');
        case 'security':
          return /^(delete|remove|set)-/.test(text);
        case 'ssh-add':
          return has(c, '-d', '-D');
        case 'kdestroy':
          return true;
        case 'sops':
          return has(c, '-i', '--in-place', '-r', '--rotate') || /^(set|unset|rotate|updatekeys)\b/.test(text);
        case 'certbot':
          return (
            exact(c, '--force-renewal') ||
            (/^(delete|revoke|unregister|rollback|update_account|renew|install|enhance)\b/.test(text) &&
              !(/^renew\b/.test(text) && !exact(c, '--force-renewal')))
          );
        case 'tailscale':
          return (
            /^(down|logout|set|switch|up .*--reset|serve reset|funnel reset|lock|update)\b/.test(text) ||
            has(c, '--reset')
          );
        case 'pihole':
          return (
            /^(disable|restartdns|uninstall|flush|reconfigure|updatePihole|checkout|repair)\b|^-(up|f|r|g)\b/.test(
              words,
            ) ||
            has(c, '-f', '-up', '-r') ||
            (/^(-w|-b|-wild|-regex|--\w+|allow|deny|regex|wildcard|white\S*|black\S*)\b/.test(words) &&
              has(c, '-d', '--delmode', '-nr', '--nuke', 'remove'))
          );
        case 'unbound-control':
        case 'rndc':
          return /\b(flush\w*|reload|stop|halt|local_data_remove|delzone|reconfig|retransfer|freeze|signing|load_cache|set_option)\b/.test(
            text,
          );
        case 'gitlab-ctl':
          return /^(stop|restart|reconfigure|kill|uninstall|cleanse|remove-accounts|hup|int|term|usr1|usr2|deploy-page|set-|promote|pg-)/.test(
            text,
          );
        case 'nsupdate':
          return c.input.kind !== 'none' || operands(c).length > 0;
        case 'dnscontrol':
          return /^push\b/.test(text);
        case 'wp':
        case 'drush':
        case 'occ':
        case 'tootctl':
          return (
            /\b(delete|remove|reset|drop|uninstall|deactivate|update|search-replace|import|flush|clean|empty|purge|restore|rollback|sql-drop|sql:drop|cr|updb|regenerate|maintenance:(mode|repair)|trashbin:cleanup|versions:cleanup|files:cleanup|user:(delete|disable|resetpassword)|app:(disable|remove|update)|upgrade|stop|restart|reboot|shutdown|rebuild|disable)\b/.test(
              text,
            ) &&
            !exact(c, '--dry-run', '--dry_run') &&
            !/\b(check|list|get|status|info)\b/.test(text)
          );
        case 'vercel':
        case 'netlify':
        case 'wrangler':
        case 'firebase':
        case 'heroku':
        case 'fly':
        case 'flyctl':
        case 'railway':
        case 'kamal':
          return (
            /(^|[ :.-])(delete|remove|rm|destroy|reset|unset|rollback|restart|stop|suspend|down|scale|drop|kill|promote|revoke|disable|purge|prune|transfer|rename|detach|wipe|execute|restore|uninstall|unlink|deploy|publish|set|abandon)\b/.test(
              text,
            ) &&
            !(/\b(d1 execute)\b/.test(text) && !/\b(drop|delete|update|truncate|alter)\b/i.test(words)) &&
            !/^(env ls|secrets list)/.test(text)
          );
        default:
          return /(^|[ :.-])(delete|remove|rm|destroy|reset|unset|purge|drop|revoke|wipe|uninstall|edit|deinit|flush|leave|kill|disable|restore|restart|stop|shutdown|reboot|update:|cache:flush|setup:upgrade)\b/.test(
            text,
          );
      }
    },
    stops: [
      'gh repo delete a/b --yes',
      'gh release delete v1',
      'gh api -X DELETE /repos/a/b',
      'heroku apps:destroy -a x',
      'fly apps destroy x',
      'vercel rm x',
      'wrangler delete',
      'pass rm x',
      'gpg --delete-secret-keys x',
      'certbot delete --cert-name x',
      'ssh-keygen -R host',
      'wp db reset --yes',
      'gh pr close 1',
    ],
    passes: [
      'gh pr list',
      'gh repo clone a/b',
      'gh pr create --fill',
      'gh api /user',
      'heroku logs',
      'fly status',
      'pass show x',
      'gpg --list-keys',
      'ssh-keygen -t ed25519 -f k',
      'certbot certificates',
      'certbot renew --dry-run',
      'tailscale status',
      'gh issue view 1',
    ],
  },
];
