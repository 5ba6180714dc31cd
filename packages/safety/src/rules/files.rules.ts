import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { isBackupName, isNew, isSink, isSystem } from './paths.js';
import { table } from './table.js';

export const FILES = table`
rule    files.remove  high  deletes files
why     files deleted by rm cannot be restored

program rm grm
  loses   -*, *
  stops   rm x ; rm -rf build ; /bin/rm -r build ; rm -- -x ; cd /srv && rm -rf old && ls
  passes  rm ; rm --help ; echo rm -rf / ; git commit -m "rm -rf build"

program del erase rd deltree   unless /?   loses *, -*   stops del a.txt   passes del /?
program unlink srm rimraf del-cli wipe sfill secure-delete remove-item Remove-Item ri
  loses   -*, *   stops unlink x ; unlink -r x   passes unlink --help

program trash-empty   dry --dry-run   loses ...   stops trash-empty   passes trash-empty --dry-run
program nwipe dban   loses ...   stops nwipe ; nwipe /dev/sdb   passes nwipe --help

rule    files.remove-directory  low  removes folders
why     the folder is gone, even if it was empty

program rmdir grmdir   loses *   stops rmdir old ; rmdir -p a/b   passes rmdir --help ; mkdir old

rule    files.trash  low  moves files to the trash
why     the files are no longer in their place

program trash trash-put gvfs-trash trash-rm rmtrash   loses -*, *   stops trash a   passes trash --help ; trash-list
rule    files.shred  critical  overwrites files so that nothing can be recovered
why     shredded data is gone for good

program shred gshred scrub bcwipe   loses *   stops shred -u secret.txt ; shred -n 3 /dev/sdb   passes shred --help

rule    files.find-delete  high  find deletes what it finds
why     every matching file is deleted, even one that nobody expected
ignores-dry-run

program find gfind bfs
  complete   loses -delete
  values  -name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin
  values  -amin -cmin -newer -perm -user -group -uid -gid -maxdepth -mindepth -printf -links -inum -samefile -lname
  stops   find . -delete ; find /tmp -name '*.log' -delete ; find -- x -delete
  passes  find . -name delete ; find . -name "*.log" -print ; find . -exec cat {} \;

rule    files.find-writes  medium  find overwrites a file with its list
why     -fprint and -fls truncate the file they write

program find gfind bfs
  odd     ${listsIntoFile}  a list may go to the terminal
  stops   find . -fprint list.txt   passes find . -printf "%p\n" ; find . -fprint /dev/stderr

rule    files.truncate  high  truncates files
why     everything beyond the new end is lost

program truncate gtruncate ftruncate
  odd     ${cutsOff}  whether it cuts is in the number
  stops   truncate -s 0 important.log ; truncate -s0 a ; truncate --size=0 a ; truncate -s -10 a ; truncate -s "<1K" a
  passes  truncate -s 1G disk.img ; truncate -s +1M a ; truncate --help

rule    files.write-option  medium  an option overwrites a file with the output
why     the file is emptied first, as with >

program shuf gshuf sdiff tree
  loses   -o|-o*|--output
  stops   shuf -o f a ; shuf -of.txt a ; shuf --outp=f a
  passes  shuf a ; sdiff a b ; tree -a
program script
  values  -I -O -B -m -E -o -T -t -c --command --log-in --log-out --log-io --log-timing
  unless  ... /dev/null
  loses   !-a|--append *
  loses   -O|-B|--log-out|--log-io !-a|--append
  stops   script -q f -c true ; script --log-out f -qc true
  passes  script -a f ; script -qc ls /dev/null ; script --help
program gzexe savelog   loses *   stops gzexe run.sh   passes gzexe --help

rule    files.move  medium  moves files and may overwrite others
why     the file leaves its place, and mv silently replaces an existing file with the new name

program mv gmv move
  unless  -n|--no-clobber, --update=none|none-fail
  loses   * -f|--force
  odd     ${replaces}  what the paths are decides
  stops   mv new.db prod.db ; mv -f a b ; mv important.txt /dev/null ; mv * /tmp ; sudo mv nginx.conf /etc/nginx/
  stops   mv data data_old ; mv config.yml config.yml.bak
  passes  mv -n a b ; mv --backup a b ; mv a "a.$(date +%s)" ; git mv a b

rule    files.copy-over  medium  copies over existing files
why     the target is replaced without asking

program cp gcp copy xcopy ditto
  unless  -n|--no-clobber, --update=none|none-fail
  odd     ${copiesOver}  what the paths are decides
  stops   cp -f a b ; cp /dev/null app.log ; cp hosts /etc/hosts ; cp -r backup.bak/ live ; cp config.yml.bak config.yml
  passes  cp a b ; cp -n a /etc/a ; cp -r src /tmp/copy ; cp /etc/hosts /etc/hosts.bak ; cp /etc/hosts .

program install ginstall
  unless  -d|--directory
  odd     ${copiesOver}  what the paths are decides
  stops   install -m 644 x /usr/local/bin/x   passes install -m 644 x /tmp/x ; install -d /etc/x

rule    files.link-over  medium  replaces a file with a link
why     ln -f deletes an existing file with the name of the link

program ln gln   loses -f|--force   stops ln -sf /opt/a /usr/bin/a ; ln -nsf a b ; ln --force -s a b   passes ln -s a b ; ln a b

rule    files.rename-many  medium  renames many files
why     the old names are lost, and files whose new names clash are overwritten

program rename prename file-rename perl-rename rename.ul   dry -n --nono --no-act   loses *
  stops   rename 's/a/b/' *.txt   passes rename -n 's/a/b/' *.txt
program mmv zmv   dry -n   loses *   stops mmv "*.a" "#1.b"   passes mmv -n "*.a" "#1.b"
program detox   dry -n --dry-run   loses *   stops detox a   passes detox -n a
program vidir qmv   loses *   stops vidir a   passes vidir --help
program convmv   loses --notest   stops convmv --notest -f latin1 -t utf8 .   passes convmv -f latin1 -t utf8 .
`;

function listsIntoFile({ args }: Command): boolean {
  return args.some((arg, at) => /^-f(ls|print0?|printf)$/.test(arg) && !isSink(args[at + 1] ?? ''));
}

function cutsOff(c: Command, operands: readonly string[]): boolean {
  const size = /(?:^|\s)(?:-[a-z]*s\s*|--size[= ])(\S+)/.exec(c.args.join(' '))?.[1];
  return size === undefined ? operands.length > 0 : !/^(\+\d+\w*|\d+[MGTP]i?B?)$/i.test(size);
}

function replaces(c: Command, paths: readonly string[]): boolean {
  if (paths.some((path) => isSystem(path) || path === '/dev/null')) return true;
  if (paths.length === 0 || has(c, '-b', '--backup', '-S', '--suffix')) return false;
  return paths.length !== 2 || !isNew(c, paths[1] ?? '');
}

function copiesOver(c: Command, paths: readonly string[]): boolean {
  const names = has(c, '-t', '--target-directory');
  const target = (names ? paths[0] : paths.at(-1)) ?? '';
  const sources = paths.slice(0, -1);
  if ((sources.length === 0 && !names) || isSink(target) || isNew(c, target)) return false;
  if (sources.some((path) => /^\/dev\/(null|zero|u?random)$/.test(path))) return true;
  if (isBackupName(target)) return false;
  if (has(c, '-f', '--force', '--remove-destination') || isSystem(target)) return true;
  return sources.some(isBackupName) && !/\/$|^\.\.?$/.test(target);
}
