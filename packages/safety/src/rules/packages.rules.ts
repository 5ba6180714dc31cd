import type { Command } from '../shell/command.js';
import { table } from './table.js';

/** Options that, in any position, make a package manager remove, replace or downgrade packages. */
const APT_OPTIONS = '--purge|--reinstall|--only-upgrade|--allow-remove-essential|--allow-downgrades|--force-yes';

export const PACKAGES = table`
rule    package.remove  high  removes or replaces packages of the system
why     programs that need them stop working, and purging deletes their settings and data

program apt apt-get aptitude nala
  values  -o -t -c --option --target-release --config-file
  dry     -s --simulate --just-print --dry-run --recon --no-act --print-uris --download-only -d
  loses   remove|purge|autoremove|autopurge|auto-remove|reinstall, install|reinstall ... *- -> packages, and what needs them
  loses   upgrade|full-upgrade|dist-upgrade|safe-upgrade|dselect-upgrade|patch -> the versions that are installed
  loses   clean|autoclean|auto-clean|forget-new|keep-all|unmarkauto|markauto|hold|forbid-version, history undo|rollback, ${APT_OPTIONS}
  reads   list|show|search|policy|depends|rdepends|changelog|showsrc|why|versions, history list|info
  harmless -a -q -n -v --installed --upgradable --all-versions --names-only --full --manual-installed
  stops   apt-get install -y exim4- ; apt remove nginx ; apt -y purge nginx ; apt autoremove ; sudo apt dist-upgrade -y
  passes  apt update ; apt install nginx ; apt list --upgradable ; apt -s upgrade ; apt --dry-run remove x ; apt show x

program dnf dnf5 yum microdnf tdnf
  values  -c --enablerepo --disablerepo --repo --releasever -x --exclude
  dry     --assumeno --downloadonly
  loses   remove|erase|autoremove|rm -> packages, and what needs them
  loses   update|upgrade|up|upgrade-minimal|distro-sync|distrosync|downgrade|reinstall|swap|offline-upgrade|patch, system-upgrade !log|status
  loses   clean, history undo|rollback|redo, module remove|reset|disable, mark remove, group remove|upgrade, groupremove
  reads   list|info|search|provides|repolist|repoquery|check-update|deplist|leaves, history list|info, group list|info
  harmless -q -v --installed --available --all --showduplicates --enablerepo --disablerepo
  stops   dnf remove x ; dnf erase x ; dnf upgrade -y ; dnf history undo 5   passes dnf install x ; dnf check-update

program zypper   values -R --root -r --repo   dry -D --dry-run -d --download-only
  loses   remove|rm|update|up|dup|dist-upgrade|patch|clean|cc|removerepo|rr|removelock|rl|removeservice|rs|verify|ve
  loses   install --force|--oldpackage|--force-resolution
  reads   search|se|info|if|list-updates|lu|repos|lr|packages|pa|list-patches|lp|locks|ll|services|ls|what-provides|wp
  stops   zypper rm x ; zypper dup   passes zypper install x ; zypper se x

program dpkg   values --root --admindir   dry --dry-run --no-act --simulate
  loses   -r|-P|--remove|--purge|--force-all|--force-overwrite|--force-downgrade|--force-depends|--force-remove-essential
  loses   --clear-selections|--set-selections|--remove-architecture|--clear-avail|--forget-old-unavail|--update-avail|--merge-avail
  reads   -l|-L|-s|-S|-c|-I|-p|-V|-C|--list|--listfiles|--status|--search|--get-selections|--contents|--info|--audit|--verify
  reads   --print-architecture|--print-foreign-architectures
  stops   dpkg --purge x ; dpkg -r x   passes dpkg -l ; dpkg -i a.deb

program rpm   values --root --dbpath   dry --test
  loses   -e|--erase|-U*|-F*|--upgrade|--freshen|--rebuilddb|--force   reads -q*|--query|-V*|--verify
  harmless --qf --queryformat --last --all --list --info --requires --provides --whatprovides
  stops   rpm -e x ; rpm -Uvh a.rpm   passes rpm -qa ; rpm -ivh a.rpm

program pacman yay yaourt pikaur paru trizen aura   values -b -r --dbpath --root --config --cachedir   dry -p --print
  loses   -R*|-Sc*|-Syu*|-Su*|-Syyu*|-Syuu*|-Y*c*|--asdeps|--asexplicit|--remove|--clean|--sysupgrade|--overwrite
  odd     ${upgradesAlone}  without words the helpers of pacman upgrade everything
  reads   -Q*|-Ss*|-Si*|-Sl*|-Sg*|-F*|--query   harmless -q --info --list
  stops   pacman -Rns x ; pacman -Syu ; pacman -Scc   passes pacman -Dk ; pacman -Ss x ; pacman -S x ; pacman -Qi x

program apk   values -p --root -X --repository   dry -s --simulate
  loses   del|upgrade|fix, cache clean|purge, add --force-overwrite|--upgrade   reads info|search|list|policy|version|dot|stats
  stops   apk del x ; apk upgrade   passes apk add x ; apk info

program brew   dry -n --dry-run   help -h
  loses   uninstall|remove|rm|cleanup|autoremove|unlink|untap|upgrade|reinstall|zap|rmtree|unpin, services stop|restart|kill|cleanup
  loses   link --overwrite, cask uninstall|zap, --zap
  reads   list|ls|info|search|outdated|deps|uses|leaves|doctor|config|home|cat|log|desc, services list|info
  harmless --versions --json --cask --formula --tree --installed -v -1
  stops   brew uninstall x ; brew upgrade   passes brew install x ; brew list

program snap   help -h
  unless  ... --list|--time
  loses   remove|revert|disable|stop|restart|set|unset|disconnect|refresh|forget|unalias|restore|switch
  reads   list|info|find|changes|services|connections|version|tasks|interfaces|get|logs   harmless --all -n --color
  stops   snap remove x ; snap refresh   passes snap list ; snap install x ; snap refresh --list

program flatpak   help -h
  loses   uninstall|remove|update|upgrade|repair|remote-delete|remote-modify|override|kill|document-unexport|make-current, mask *
  loses   permission-reset|permission-remove|purge   reads list|info|search|remotes|history|ps|remote-ls|remote-info
  stops   flatpak uninstall x ; flatpak update   passes flatpak install x ; flatpak list

program nix   dry --dry-run
  loses   store gc|delete|repair|optimise, profile remove|wipe-history|rollback|upgrade, upgrade-nix, registry remove|unpin|pin
  reads   search|eval|show-config|log|why-depends|path-info, flake show|metadata|info, profile list|history, store ls|cat|verify
  stops   nix store gc ; nix profile remove x   passes nix build ; nix search x
program nix-env   dry --dry-run   loses -e|--uninstall|-u|--upgrade|--rollback|--delete-generations|--switch-generation|-G
  reads   -q*|--query|--list-generations   stops nix-env -e x ; nix-env --rollback   passes nix-env -q ; nix-env -iA x
program nix-collect-garbage   dry --dry-run   loses ...   stops nix-collect-garbage -d   passes nix-collect-garbage --dry-run
program nix-store   dry --dry-run --print-dead --print-live --print-roots   loses --gc|--delete|--optimise|--repair-path
  reads   -q*|--query   stops nix-store --gc   passes nix-store -q x ; nix-store --gc --print-dead
program nixos-rebuild   values -I --flake --target-host   loses switch|boot|test   stops nixos-rebuild switch   passes nixos-rebuild build
program home-manager   loses switch|remove-generations|expire-generations|uninstall   reads generations|packages|news
  stops   home-manager switch   passes home-manager build
program guix   loses gc|remove|upgrade, package !-s|--search*|-I|--list-*|-A|--show*|-i|--install*, package -r|-u|-d|--remove*|--upgrade*|--delete*|--roll-back, system reconfigure|delete-generations|roll-back, pull --delete*|--roll-back
  reads   search|show|describe|size|graph|weather   stops guix gc ; guix package -r x ; guix package -I -r x   passes guix install x ; guix search x ; guix package --list-installed ; guix package -s x

program emerge   dry -p --pretend   loses -C|-c|--unmerge|--depclean|--prune|-P, -u|--update ... @world|@system   reads -s|--search
  stops   emerge -C x ; emerge -u @world   passes emerge x ; emerge -pv x ; emerge -s x
program xbps-install   dry -n --dry-run   loses -u|--update|-f|--force   stops xbps-install -Su   passes xbps-install x
program port   loses uninstall|upgrade|deactivate|reclaim|clean   reads list|info|search|installed|outdated|deps|contents
  stops   port uninstall x   passes port install x ; port installed
program pkg opkg ipkg pamac eopkg
  loses   remove|rm|delete|autoremove|upgrade|clean|autoclean|purge|erase|reinstall|rmf|rmo|rr|remove-*|dc|delete-cache|dr|disable-repo|up   reads list|info|search|query|version
  stops   pkg remove x ; pkg upgrade   passes pkg install x ; pkg search x
program urpme removepkg pkg_delete   loses -*, *   stops urpme x   passes urpme --help

program rpm-ostree ostree bootc transactional-update freebsd-update
  unless  status|db|search|fetch|log|show|summary|ls|refs|cat|list|updatesready|check, kargs $, remote|config list|get|show-url|refs|summary, admin status, --check|--preview
  loses   -*, *   reads status|search|log|show|ls|refs|cat|list   stops rpm-ostree upgrade ; rpm-ostree rollback
  passes  rpm-ostree status
program topgrade dpkg-reconfigure unattended-upgrade unattended-upgrades   dry --dry-run -n
  loses   ...   stops topgrade ; topgrade x   passes topgrade --dry-run
program sysupgrade   unless -T|--test|-l|--list-backup|-b|--create-backup   loses ...   stops sysupgrade -n fw.bin   passes sysupgrade -T fw.bin
program softwareupdate   loses -i|--install|-r|-a   reads -l|--list   stops softwareupdate -ia   passes softwareupdate -l
program apt-mark   loses auto|minimize-manual   reads showauto|showmanual|showhold|showinstall   stops apt-mark auto x   passes apt-mark hold x
program dpkg-divert   loses --rename !--no-rename, --remove   stops dpkg-divert --rename x   passes dpkg-divert --list
program apt-key   loses del|remove   reads list|finger   stops apt-key del x   passes apt-key list
program localepurge   unless -dry-run|-d   loses ...   stops localepurge   passes localepurge -dry-run
program add-apt-repository   loses -r|--remove   stops add-apt-repository -r ppa:x/y   passes add-apt-repository ppa:x/y
program choco winget scoop   loses uninstall|remove|upgrade|update|reset|cleanup, cache rm   reads list|search|show|info|outdated
  stops   choco uninstall x ; choco upgrade all   passes choco install x ; choco list
program mas   loses uninstall|upgrade|reset   reads list|search|info|outdated   stops mas upgrade   passes mas list
program swupd   loses update|bundle-remove|clean|repair   reads info|bundle-list|search   stops swupd bundle-remove x   passes swupd info
`;

function upgradesAlone({ name, args }: Command): boolean {
  return name !== 'pacman' && args.length === 0;
}
