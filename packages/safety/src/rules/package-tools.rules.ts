import { table } from './table.js';

/** Tools that belong to package managers, and version managers for languages. */
export const PACKAGE_TOOLS = table`
rule    package.tool  medium  removes packages, versions or data of a package manager
why     programs that need them stop working, or the data must be downloaded again

program apm   loses uninstall|deinstall|delete|erase|unpublish|disable|unlink|dedupe|prune|clean|upgrade   stops apm deinstall x ; apm unpublish x   passes apm list ; apm install x
program appimaged   loses -u|--uninstall   stops appimaged -u   passes appimaged --help
program appman   loses -r|-R|-u   stops appman -R x   passes appman -l
program cpan   loses -r|-u   stops cpan -r   passes cpan -i X
program cpanm   loses -U|--uninstall   stops cpanm -U X   passes cpanm X
program debfoster   unless -s|-d|-e|-a|-i|--show-*   loses ...   stops debfoster x   passes debfoster -s
program deborphan   loses -Z|--zero-keep|-R|--del-keep   stops deborphan -Z   passes deborphan
program docker-gc docuum   loses ...   stops docker-gc   passes docker-gc --help
program eclean   unless -p|--pretend   loses *   stops eclean distfiles   passes eclean -p distfiles
program eselect   loses ... set|remove|disable|delete|unset|purge|update|enable   stops eselect profile set 1   passes eselect profile list
program layman   loses -d|--delete|-D|--disable   stops layman -d x   passes layman -L
program nvm fnm   loses unalias|uninstall|deactivate, cache clear   stops nvm unalias x ; fnm uninstall 18   passes nvm ls ; fnm install 18
program orphaner editkeep   loses ...   stops orphaner   passes orphaner --help
program phpdismod   loses *   stops phpdismod json   passes phpdismod --help
program pkg_add   loses -u|-r   stops pkg_add -u   passes pkg_add x
program purge purge-old-kernels linux-purge wipeenv   loses ...   stops purge   passes purge --help
program rebar3   loses unlock|clean   stops rebar3 unlock   passes rebar3 compile
program sbopkg   loses -r|-d|-P   stops sbopkg -r   passes sbopkg -l
program slackpkg   loses remove|upgrade*|reinstall|clean-*|delete   stops slackpkg clean-system   passes slackpkg search x
program tox   loses -r|--recreate   stops tox -r   passes tox -e py
program xbps-pkgdb   loses -m*   stops xbps-pkgdb -m hold x   passes xbps-pkgdb -a
program xbps-rindex   loses -r|--remove-obsoletes   stops xbps-rindex -r d   passes xbps-rindex -a a.xbps
program xcode-select   loses -r|--reset|-s|--switch   stops xcode-select -r   passes xcode-select -p

rule    queue.jobs  high  cancels, holds or deletes jobs in a cluster's queue
why     the results of the jobs so far are lost, or other jobs must wait for them

program oardel qdel scancel bkill condor_rm oarcancel llcancel canceljob mjobctl   loses *, -*   stops oardel 5   passes oardel --help
program qhold qrls qalter qmod qdisable   loses *   stops qhold 5   passes qhold --help
program pbsnodes   loses -o|-r|-c|-N   stops pbsnodes -o n1   passes pbsnodes -a
program scontrol   loses delete|cancel_reboot|reboot*|requeue*|suspend|shutdown|takeover|update|reconfig*|hold|uhold|release|top|abort|setdebug*   stops scontrol requeue 5   passes scontrol show jobs ; scontrol ping
`;
