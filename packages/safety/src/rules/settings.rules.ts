import type { Command } from '../shell/command.js';
import { has } from './options.js';
import { table } from './table.js';

export const SETTINGS = table`
rule    desktop.settings  low  changes or resets settings of a desktop
why     the old settings are lost

program gsettings dconf   loses set|reset|reset-recursively|write|load|update   stops gsettings set a b c ; gsettings reset -f /   passes gsettings get a b
program defaults   loses ... write|delete|rename|import|delete-all   stops defaults delete com.apple.x ; defaults -currentHost write a b c   passes defaults read x
program date
  odd     ${setsClock}  a lone number sets the clock
  reads   $, +*
  harmless -d -u -R -I* --date --utc --iso-8601 --rfc-3339 --rfc-email -r --reference
  stops   date -s "2020-01-01" ; date 010203042020
  passes  date ; date +%F ; date -d yesterday
program hwclock   loses -w|-s|--systohc|--hctosys|--set|--adjust   stops hwclock --systohc   passes hwclock -r
program hostname domainname   loses *, -F|-b   reads $   harmless -I -f -i -s -d -A -y   stops hostname newname   passes hostname ; hostname -I
program timedatectl localectl hostnamectl
  loses   set-*|set|revert, hostname|deployment|location|chassis|icon-name *
  reads   $, status|show|list-*|timesync-status|show-timesync
  harmless -* --*
  stops   timedatectl set-time 2020-01-01 ; timedatectl hostname x
  passes  timedatectl ; timedatectl status
program nvidia-smi
  complete
  loses   --gpu-reset, -r, -pm, -pl, -e, -c, -mig, -lgc, -ac, --power-limit, --persistence-mode
  stops   nvidia-smi -pl 200
  passes  nvidia-smi ; nvidia-smi -q
program cpupower   loses ... set|frequency-set|idle-set   stops cpupower frequency-set -g performance   passes cpupower frequency-info
program reg   odd ${editsRegistry}  the case of its words does not matter   stops reg DELETE x ; reg import a.reg   passes reg query x
program chronyc   loses ... makestep|delete|offline|reset|settime|shutdown   stops chronyc makestep   passes chronyc sources
program powerprofilesctl tuned-adm   loses set|profile|off   stops powerprofilesctl set performance   passes powerprofilesctl list
program plutil PlistBuddy   odd ${editsList}  PlistBuddy's action is one word: -c "Set :a b"   stops plutil -replace a -string b x.plist ; PlistBuddy -c "Set :a b" x.plist   passes plutil -p x.plist
program scutil systemsetup networksetup   loses --set*|--remove*|--delete*, -set*, -remove*, -delete*   stops scutil --set HostName x ; networksetup -setdnsservers Wi-Fi 1.1.1.1   passes scutil --get HostName
program wevtutil   loses cl|clear-log|sl   stops wevtutil cl System   passes wevtutil el
program xfconf-query   loses -s|-r|--set|--reset|-T   stops xfconf-query -c a -p /b -s c   passes xfconf-query -l
program chsh chfn   loses !-l|--list-shells -*, !-l|--list-shells *   stops chsh -s /bin/zsh ; chsh bob   passes chsh -l
program authselect   loses select|apply-changes|enable-feature|disable-feature|opt-out|backup-remove|backup-restore   stops authselect select sssd   passes authselect list
program raspi-gpio pinctrl   loses ... set   stops raspi-gpio set 4 op   passes raspi-gpio get
program alternatives   loses --set|--remove|--auto|--config|--remove-all   stops alternatives --set java x   passes alternatives --list
program attrib   odd ${setsAttribute}  its options begin with + or -   stops attrib +h x   passes attrib x
program systemd-machine-id-setup machine-id-setup locale-gen ntpdate   loses !-q|--print ...   stops systemd-machine-id-setup   passes systemd-machine-id-setup --print
program icacls   loses ... /grant*|/deny*|/remove*|/reset|/setowner*|/inheritance*|/setintegritylevel*|/restore*|/substitute*   stops icacls x /grant bob:F   passes icacls x ; icacls x /verify
program cipher   loses ... /e|/d|/w*|/k|/r*|/u|/x*|/y|/rekey*|/adduser*|/removeuser*|/E|/D|/W*   stops cipher /w:c   passes cipher /c x
program regedit   loses !/e*|/E*|/? ...   stops regedit /s a.reg   passes regedit /e a.reg
program takeown   unless /?   loses *   stops takeown /f x   passes takeown /?
program kwriteconfig5 kwriteconfig6 clear-eventlog
  loses   -*, *
  stops   kwriteconfig5 --file a --key b c
  passes  kwriteconfig5 --help
`;

function setsClock(c: Command, operands: readonly string[]): boolean {
  return has(c, '-s', '--set') || (!has(c, '-r', '-j', '-d', '-f') && /^\d{8,12}(\.\d\d)?$/.test(operands[0] ?? ''));
}

function editsRegistry({ args }: Command): boolean {
  return /^(delete|add|import|restore|unload|copy)\b/i.test(args.join(' ')) && args[1] !== '/?';
}

function editsList({ args }: Command): boolean {
  if (/(^| )-o -( |$)/.test(args.join(' '))) return false;
  return /-(replace|remove|insert|convert)\b|\b(Set|Delete|Add|Clear|Merge)\b/.test(args.join(' '));
}

function setsAttribute({ args }: Command): boolean {
  return args.some((arg) => /^[-+][rashi]+$/i.test(arg));
}
