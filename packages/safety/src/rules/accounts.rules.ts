import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { isAccount, isHole, isSystem } from './paths.js';
import { table } from './table.js';

export const ACCOUNTS = table`
rule    permission.mode  high  opens or changes permissions widely
why     the old permissions are lost; anyone may be able to write, or a service may no longer be able to read

program chmod gchmod
  odd     ${changesWidely}  the mode is a number or a formula, and the paths decide too
  stops   chmod 777 x ; chmod -R 0777 /srv ; find . -type f -exec chmod 644 {} + ; chmod -R 755 . ; chmod a+w x
  stops   chmod u+s /bin/bash ; chmod 000 x ; chmod 4755 x ; chmod 600 /etc/passwd ; chmod o+rw x ; chmod 666 a
  passes  chmod 755 x ; chmod +x run.sh ; chmod 600 ~/key ; chmod u+x a ; chmod 644 a.txt ; chmod --help ; chmod go-rwx key

rule    permission.owner  high  changes the owner of files
why     the previous owner is not recorded

program chown chgrp gchown chattr chcon setcap setfattr nfs4_setfacl chflags
  loses   *
  stops   chown -R me / ; chown me /srv/x
  passes  chown --help ; ls -l
program setenforce setsebool aa-disable aa-complain aa-enforce   loses *   stops setenforce 0   passes setenforce --help ; getenforce
program setfacl   loses !--test ...   stops setfacl -b x   passes setfacl --test -b x ; getfacl x
program xattr   loses -d|-c|-w   stops xattr -d a x   passes xattr -l x
program semanage   loses -d|-D|-m|-a|--delete|--modify|--add   stops semanage port -a -t x 80   passes semanage port -l
program restorecon   loses !-n ...   stops restorecon -R /srv   passes restorecon -n /srv
program apparmor_parser   loses -R|-r|--remove|--replace   stops apparmor_parser -R x   passes apparmor_parser -N x
program aa-teardown fixfiles   loses ...   stops aa-teardown   passes aa-teardown --help

rule    account.change  critical  deletes or changes users and groups
why     people or services can no longer log in, and their files may be deleted

program userdel groupdel deluser delgroup usermod groupmod luserdel lusermod rmuser remove-localuser Remove-LocalUser
  loses   -*, *
  stops   userdel -r bob ; userdel --remove-home bob
  passes  userdel --help
program passwd   loses !-S|--status ...   stops passwd -d root ; passwd bob ; passwd   passes passwd -S bob
program chage lchage   loses !-l|--list ...   stops chage -E 0 bob   passes chage -l bob
program chpasswd chgpasswd newusers
  loses   -*, *
  odd     ${readsAccounts}  the accounts it changes are in its input
  stops   echo "root:x" | chpasswd ; chpasswd -e
  passes  chpasswd --help
program pwunconv grpunconv   loses ...   stops pwunconv   passes pwunconv --help
program gpasswd   loses -*, *   stops gpasswd -d bob sudo   passes gpasswd --help
program smbpasswd   loses ...   stops smbpasswd -x bob   passes smbpasswd --help
program pdbedit   loses -x|-r|--delete|--modify   stops pdbedit -x bob   passes pdbedit -L
program pam_tally2   loses -r|--reset   stops pam_tally2 -u bob -r   passes pam_tally2 -u bob
program samba-tool ipa
  loses   ... delete|remove*|disable|setpassword|demote|del|mod|passwd|*-del|*-mod|*-disable|*-remove*
  stops   samba-tool user delete bob ; samba-tool user-del bob
  passes  samba-tool user list
program kadmin kadmin.local
  odd     ${changesPrincipal}  the request is one word: -q "delprinc bob"
  stops   kadmin -q "delprinc bob"
  passes  kadmin -q listprincs
program htpasswd   loses -c|-D|-b !-n, * * !-n   stops htpasswd -D users bob ; htpasswd users bob   passes htpasswd -n bob
program authconfig   loses --update|--updateall|--kickstart|--restore*|--enable*|--disable* !--test|--probe   stops authconfig --update   passes authconfig --test ; authconfig --enablemd5 --test
program homectl   loses remove*|update|passwd|resize|lock*|deactivate*|rebalance   stops homectl remove bob   passes homectl list
program useradd   loses -o|--non-unique   odd ${isRoot}  user id 0 is root   stops useradd -o -u 0 evil ; useradd -u 0 evil   passes useradd -m bob
program adduser   loses -o|--non-unique   odd ${joinsGroup}  adduser bob group, where no option with a value stands   stops adduser bob sudo   passes adduser bob ; adduser --disabled-password --gecos "" bob
program pwconv ldapdelete ldapmodify ldappasswd ldapmodrdn net-ads lpasswd kpasswd pam-auth-update google-authenticator
  loses   -*, *
  odd     ${readsAccounts}  what it changes may stand in what it reads
  stops   pwconv -R /mnt ; pwconv x
  passes  pwconv --help
`;

/** Whether `chmod` changes the permissions of many files. Its mode may look like an option: `-w`, `-rwx`. */
function changesWidely(c: Command): boolean {
  const [given = '', ...paths] = c.args.filter((arg) => !/^(-[Rvcf]+|--\S*)$/.test(arg));
  const mode = given.slice(0, 60);
  if (mode === '') return false;
  // Arguments from find or xargs are many files, and their previous permissions are not recorded anywhere.
  if (/^\d+$/.test(mode) && paths.some(isHole)) return true;
  return has(c, '-R', '--recursive', '--reference') || isWide(mode) || paths.some((path) => locksOut(path, mode));
}

function isWide(mode: string): boolean {
  if (/^[0-7]?[0-7]*(7[0-7]?7|66|[2367])$/.test(mode) && /[2367]$/.test(mode)) return true;
  if (/^[2467][0-7]{3}$/.test(mode) || /^0*$/.test(mode)) return true;
  return /(^|,)([uoga]*[oa][uoga]*|)\+[rxX]*[wst]|[oa]=[rwxst]*w|[ug]\+[rwx]*s|^\+[rwx]*w|^=|^a=|^a-|u-[rwx]*[rw]|^-[rwx]+$/.test(
    mode,
  );
}

function locksOut(path: string, mode: string): boolean {
  if (/^[ugoa]*\+x$/.test(mode)) return false;
  if (/^(\/|~|\/(home|root|var|opt|srv)(\/[\w.-]+)?)\/?$/.test(path)) return true;
  return isSystem(path) && !(isAccount(path) && /^0?[0-7]00$/.test(mode));
}

function readsAccounts({ input }: Command): boolean {
  return input.kind !== 'none';
}

function changesPrincipal({ args }: Command): boolean {
  return /\b(del|change|cpw|mod|ktremove|delprinc|modprinc|rename|purgekeys)\w*/.test(args.join(' '));
}

function isRoot({ args }: Command): boolean {
  return /-[a-z]*u\s*0\b|--uid[ =]0\b/.test(args.join(' '));
}

function joinsGroup(c: Command, operands: readonly string[]): boolean {
  return isRoot(c) || (operands.length > 1 && !c.args.join(' ').includes('--'));
}
