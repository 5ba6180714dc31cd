import { exact, has, path } from './arguments.js';
import type { Rule } from './rule.js';

export const MAIL: readonly Rule[] = [
  {
    id: 'mail.change',
    title: 'deletes mail, or changes how it is delivered',
    why: 'messages are gone, or settings of the mail server replaced',
    severity: 'high',
    tools: [
      'postconf',
      'notmuch',
      'mbsync',
      'sa-learn',
      'mailutil',
      'afew',
      'himalaya',
      'imapfilter',
      'qmHandle',
      'setup',
    ],
    matches: (c) => {
      const words = c.args.join(' ');
      switch (c.name) {
        case 'postconf':
          return c.args.some((arg) => /^-(e|X|M.*e|F.*e|P.*e|#|evc)/.test(arg)) || /^[a-z_]+=/.test(path(c));
        case 'notmuch':
          return /^(tag|untag|restore|compact|reindex)\b/.test(path(c)) || /^config set\b/.test(path(c));
        case 'mbsync':
          return /--?(expunge|remove)/.test(words);
        case 'sa-learn':
          return exact(c, '--clear', '--forget', '--restore');
        case 'setup':
          return /\b(del|delete|restrict)\b/.test(path(c));
        case 'himalaya':
          return /\b(delete|move|expunge|purge|remove)\b/.test(path(c));
        case 'mailutil':
          return /^(delete|prune|move|rename|transfer)\b/.test(path(c));
        default:
          return c.args.length > 0 && !has(c, '-n', '--dry-run');
      }
    },
    stops: ["postconf -e 'relayhost=x'", "notmuch tag +deleted '*'", 'mbsync --expunge all', 'sa-learn --clear'],
    passes: ['postconf -n', 'notmuch search tag:deleted', 'mbsync all', 'sa-learn --dump magic'],
  },
  {
    id: 'certificates.change',
    title: 'revokes, removes or replaces certificates',
    why: 'what trusts the certificate stops working; a revocation cannot be taken back',
    severity: 'high',
    tools: [
      'acme.sh',
      'certutil',
      'update-ca-certificates',
      'trust',
      'easyrsa',
      'mkcert',
      'lego',
      'dehydrated',

      'cfssl',
      'pki',
    ],
    matches: (c) => {
      const words = c.args.join(' ');
      switch (c.name) {
        case 'acme.sh':
          return /--(revoke|remove|deactivate|uninstall|remove-all|upgrade|force|install-cert|installcert)\b/.test(
            words,
          );
        case 'certutil':
          return /(^|\s)-(D|F|M|delstore|delete\w*|setreg|revoke)\b/.test(words);
        case 'update-ca-certificates':
          return has(c, '-f', '--fresh');
        case 'trust':
          return /--remove\b/.test(words);
        case 'easyrsa':
          return /\b(revoke\S*|init-pki|gen-crl|rewind-renew|clean-all)\b/.test(words);
        case 'dehydrated':
          return has(c, '--revoke', '-r', '--cleanup', '-gc', '--force', '-x');
        default:
          return /(^|[\s-])(revoke|remove|uninstall|delete|rm)\b/.test(words);
      }
    },
    stops: ['acme.sh --revoke -d x', 'certutil -D -n x -d db', 'easyrsa revoke client1', 'mkcert -uninstall'],
    passes: [
      'acme.sh --list',
      'certutil -L -d db',
      'mkcert -CAROOT',
      'step certificate inspect c.pem',
      'mkcert localhost',
    ],
  },
];
