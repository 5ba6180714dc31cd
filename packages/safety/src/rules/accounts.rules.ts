import { exact, has, operands } from './arguments.js';
import { isAccount, isHole, isSystem } from './paths.js';
import type { Rule } from './rule.js';

export const ACCOUNTS: readonly Rule[] = [
  {
    id: 'permission.mode',
    title: 'opens or changes permissions widely',
    why: 'the old permissions are not kept, and everybody may write or a service may no longer read',
    severity: 'high',
    tools: ['chmod', 'gchmod'],
    matches: (c) => {
      const [given = '', ...paths] = modeAndPaths(c.args);
      const mode = given.slice(0, 60);
      if (mode === '') return false;
      // What find or xargs hand over is many files, whose permissions nobody wrote down.
      if (/^\d+$/.test(mode) && paths.some(isHole)) return true;
      if (has(c, '-R', '--recursive', '--reference')) return true;
      if (/^[0-7]?[0-7]*(7[0-7]?7|66|[2367])$/.test(mode) && /[2367]$/.test(mode)) return true;
      if (/^[2467][0-7]{3}$/.test(mode) || /^0*$/.test(mode)) return true;
      if (
        /(^|,)([uoga]*[oa][uoga]*|)\+[rxX]*[wst]|[oa]=[rwxst]*w|[ug]\+[rwx]*s|^\+[rwx]*w|^=|^a=|^a-|u-[rwx]*[rw]|^-[rwx]+$/.test(
          mode,
        )
      )
        return true;
      return (
        paths.some(
          (path) =>
            (isSystem(path) && !(isAccount(path) && /^0?[0-7]00$/.test(mode))) ||
            /^(\/|~|\/(home|root|var|opt|srv)(\/[\w.-]+)?)\/?$/.test(path),
        ) && !/^[ugoa]*\+x$/.test(mode)
      );
    },
    stops: [
      'chmod 777 x',
      'chmod -R 0777 /srv',
      'find . -type f -exec chmod 644 {} +',
      'chmod -R 755 .',
      'chmod a+w x',
      'chmod u+s /bin/bash',
      'chmod 000 x',
      'chmod 4755 x',
      'chmod 600 /etc/passwd',
      'chmod o+rw x',
      'chmod 666 a',
    ],
    passes: [
      'chmod 755 x',
      'chmod +x run.sh',
      'chmod 600 ~/key',
      'chmod u+x a',
      'chmod 644 a.txt',
      'chmod --help',
      'chmod go-rwx key',
    ],
  },
  {
    id: 'permission.owner',
    title: 'changes the owner of files',
    why: 'who owned them before is not kept',
    severity: 'high',
    tools: [
      'chown',
      'chgrp',
      'gchown',
      'setfacl',
      'chattr',
      'chcon',
      'setcap',
      'setfattr',
      'restorecon',
      'nfs4_setfacl',
      'semanage',
      'setenforce',
      'setsebool',
      'aa-disable',
      'aa-complain',
      'aa-enforce',
      'aa-teardown',
      'apparmor_parser',
      'xattr',
      'chflags',
      'fixfiles',
    ],
    matches: (c) => {
      switch (c.name) {
        case 'xattr':
          return has(c, '-d', '-c', '-w');
        case 'semanage':
          return has(c, '-d', '-D', '-m', '-a', '--delete', '--modify', '--add');
        case 'restorecon':
          return !has(c, '-n');
        case 'apparmor_parser':
          return has(c, '-R', '-r', '--remove', '--replace');
        case 'setfacl':
          return !has(c, '--test');
        case 'aa-teardown':
        case 'fixfiles':
          return true;
        default:
          return operands(c).length > 0;
      }
    },
    stops: [
      'chown -R me /',
      'chown me /srv/x',
      'chgrp www x',
      'setfacl -b x',
      'chattr -i x',
      'chattr +i x',
      'setenforce 0',
      'aa-disable /usr/bin/x',
    ],
    passes: ['chown --help', 'getfacl x', 'lsattr x', 'ls -l', 'getcap x', 'getenforce'],
  },
  {
    id: 'account.change',
    title: 'deletes or changes users and groups',
    why: 'people or services can no longer log in, and their files may be deleted',
    severity: 'critical',
    tools: [
      'userdel',
      'groupdel',
      'deluser',
      'delgroup',
      'usermod',
      'groupmod',
      'passwd',
      'chpasswd',
      'chgpasswd',
      'gpasswd',
      'chage',
      'pwconv',
      'pwunconv',
      'grpunconv',
      'pw',
      'dscl',
      'sysadminctl',
      'smbpasswd',
      'pdbedit',
      'newusers',
      'faillock',
      'pam_tally2',
      'pam-auth-update',
      'ldapdelete',
      'ldapmodify',
      'ldappasswd',
      'ldapmodrdn',
      'samba-tool',
      'net-ads',
      'ipa',
      'kadmin',
      'kadmin.local',
      'htpasswd',
      'adduser',
      'useradd',
      'remove-localuser',
      'Remove-LocalUser',
      'lpasswd',
      'kpasswd',
      'lchage',
      'lusermod',
      'luserdel',
      'realm',
      'authconfig',
      'rmuser',
      'homectl',
      'google-authenticator',
    ],
    matches: (c) => {
      const text = c.args.join(' ');
      switch (c.name) {
        case 'passwd':
          return !has(c, '-S', '--status');
        case 'chage':
        case 'lchage':
          return !has(c, '-l', '--list');
        case 'pw':
          return /^(userdel|usermod|groupdel|groupmod|lock|unlock|user (del|mod)|group (del|mod))/.test(text);
        case 'dscl':
          return /-?(delete|change|passwd|merge|append)\b/i.test(text);
        case 'sysadminctl':
          return exact(c, '-deleteUser', '-resetPasswordFor', '-newPassword', '-adminPassword-x');
        case 'smbpasswd':
          return true;
        case 'pdbedit':
          return has(c, '-x', '-r', '--delete', '--modify');
        case 'faillock':
          return has(c, '--reset');
        case 'pam_tally2':
          return has(c, '-r', '--reset');
        case 'samba-tool':
        case 'ipa':
          return /\b(delete|remove\w*|disable|setpassword|demote|del|mod|passwd|\w+-(del|mod|disable|remove\S*))\b/.test(
            text,
          );
        case 'kadmin':
        case 'kadmin.local':
          return /\b(del|change|cpw|mod|ktremove|delprinc|modprinc|rename|purgekeys)\w*/.test(text);
        case 'htpasswd':
          return !has(c, '-n') && (has(c, '-c', '-D', '-b') || operands(c).length > 1);
        case 'realm':
          return /^(leave|deny|permit)\b/.test(text);
        case 'homectl':
          return /^(remove|update|passwd|resize|lock|deactivate|rebalance)/.test(text);
        case 'adduser':
        case 'useradd':
          return (
            has(c, '-o', '--non-unique') ||
            /-[a-z]*u\s*0\b|--uid[ =]0\b/.test(text) ||
            (c.name === 'adduser' && operands(c).length > 1 && !text.includes('--'))
          );
        case 'gpasswd':
          return c.args.length > 0;
        default:
          return c.args.length > 0 || c.input.kind !== 'none' || /^(pwunconv|grpunconv|passwd)$/.test(c.name);
      }
    },
    stops: [
      'userdel -r bob',
      'deluser --remove-home bob',
      'groupdel x',
      'usermod -L bob',
      'usermod -aG docker bob',
      'passwd -d root',
      'echo "root:x" | chpasswd',
      'gpasswd -d bob sudo',
      'chage -E 0 bob',
      'passwd bob',
      'useradd -o -u 0 evil',
    ],
    passes: [
      'useradd -m bob',
      'adduser bob',
      'groupadd x',
      'passwd -S bob',
      'chage -l bob',
      'id bob',
      'getent passwd',
      'whoami',
    ],
  },
];

/** chmod's mode may look like an option: `-w`, `-rwx`. */
function modeAndPaths(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !/^(-[Rvcf]+|--\S*)$/.test(arg));
}
