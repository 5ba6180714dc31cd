import type { Command } from '../shell/command.js';
import { isDestructiveWord } from './destructive-words.js';
import { has } from './options.js';
import { table } from './table.js';

export const ODD_TOOLS = table`
rule    tool.own-words  medium  deletes, overwrites or stops something with a command of its own
why     with these arguments this program changes existing data

program recode   loses * *   stops recode latin1..utf8 a.txt   passes recode -l
program blockdev   loses --set*|--flushbufs|--rereadpt   stops blockdev --setro /dev/sdb   passes blockdev --getsize64 /dev/sdb
program cdrecord wodim
  loses   ... blank=*|format=*, -blank*, -format*
  odd     ${burnsImage}  an image is written with -v or -dao
  stops   cdrecord blank=fast dev=/dev/sr0 ; cdrecord -v dev=/dev/sr0 a.iso
  passes  cdrecord -scanbus
program xorriso   loses -blank, -format, -rm, -rm_r, -commit   stops xorriso -dev a -blank all   passes xorriso -indev a -ls
program watchtower cpufreq-set firstboot jffs2reset pip-sync   loses ...   stops watchtower --run-once   passes watchtower --help
program auto-cpufreq   loses --install|--remove|--force   stops auto-cpufreq --install   passes auto-cpufreq --stats
program salt-key   loses -d|-D|-r|-R|--delete|--delete-all|--reject|--reject-all   stops salt-key -D -y   passes salt-key -L
program pass gopass
  loses   generate|insert|cp|copy|init|regenerate -f|--force|-i|--in-place
  stops   pass generate -f mail
  passes  pass show mail ; pass generate new
program vim-cmd
  loses   */destroy|*/unregister|*/reload|*/power.off|*/power.reset|*/power.reboot|*/power.shutdown|*/power.suspend
  loses   */snapshot.remove*|*/snapshot.revert*
  stops   vim-cmd vmsvc/destroy 12
  passes  vim-cmd vmsvc/getallvms
program busctl dbus-send gdbus
  odd     ${callsDestroyer}  the method of D-Bus says what is done
  stops   busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b true
  passes  busctl list ; gdbus introspect --session -d org.x -o /org/x
program paccache   loses -r|--remove|-m !-d|--dryrun   stops paccache -rk1   passes paccache -dk1
program portupgrade   loses !-n|--noexecute ...   stops portupgrade -a   passes portupgrade -na
program eclean-dist eclean-pkg   loses !-p|--pretend ...   stops eclean-dist   passes eclean-dist -p
program msiexec   loses /x|/X|/uninstall|/f*   stops msiexec /x a.msi   passes msiexec /i a.msi
program wmctrl   loses -c|-k|-R   stops wmctrl -c Firefox   passes wmctrl -l
program groupmems   loses -d|-p|--delete|--purge   stops groupmems -g x -d y   passes groupmems -g x -l
program semodule   loses -r|-d|-X|-R|-B|--remove|--disable|--reload|--build   stops semodule -r x   passes semodule -l
program sas2flash sas3flash   loses -o|-e|-f|-b   stops sas2flash -o -e 6   passes sas2flash -listall
program uv   loses pip sync   stops uv pip sync r.txt   passes uv pip list
program pipenv   loses sync|clean|update|uninstall|upgrade   stops pipenv sync   passes pipenv graph
program jail   loses -r|-R|-m   stops jail -r web   passes jail -c web
program virt-resize   loses * *   stops virt-resize --shrink /dev/sda1 a b   passes virt-resize --help
program tar bsdtar gtar
  odd     ${unpacksAnywhere}  with -P names keep their leading slash: the archive says where it writes
  stops   tar -xPf a.tar
  passes  tar xpf a.tar ; tar cPf a.tar /etc
`;

function callsDestroyer({ args }: Command): boolean {
  return args.some((arg) => {
    const method = /(?:^|\.)([A-Z][A-Za-z]+)$/.exec(arg)?.[1];
    return (
      method !== undefined &&
      (isDestructiveWord(method) || /^(PowerOff|Kill\w*|Stop\w*|Reboot\w*|Set\w*|Halt|Hibernate|Suspend)$/.test(method))
    );
  });
}

function burnsImage(c: Command): boolean {
  return has(c, '-v', '-dao') && c.args.some((arg) => arg.endsWith('.iso'));
}

function unpacksAnywhere(c: Command): boolean {
  const [mode = ''] = c.args;
  return (
    (/^-?[a-zA-Z]*x/.test(mode) || has(c, '-x', '--extract', '--get')) &&
    (has(c, '-P', '--absolute-names') || /^-?[a-z]*P/.test(mode))
  );
}
