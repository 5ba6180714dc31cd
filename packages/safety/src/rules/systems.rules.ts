import { table } from './table.js';

/** Tools of the BSDs, macOS and Windows, and tools that build packages and binaries. */
export const SYSTEMS = table`
rule    system.removes  medium  removes, detaches or resets something with a system tool
why     its target is gone, detached or reset

program mdconfig   loses -d   stops mdconfig -d -u 1   passes mdconfig -l
program ccdconfig   loses -u|-U   stops ccdconfig -u ccd0   passes ccdconfig -g
program bioctl   loses -d|-c|-R|-O|-P   stops bioctl -d sd4   passes bioctl sd4
program swapctl   loses -d|-U   stops swapctl -d /dev/x   passes swapctl -l
program tcpdrop   loses *, -a|-l|-S|-s   stops tcpdrop a 1 b 2   passes tcpdrop --help
program syspatch   loses -r|-R   stops syspatch -r   passes syspatch -c
program fw_update   loses -d   stops fw_update -d x   passes fw_update -n
program profiles   loses -D|-R|-r, remove|renew|unconfigure   stops profiles -D ; profiles remove -all   passes profiles list ; profiles -P
program pluginkit   loses -r|-e   stops pluginkit -r x   passes pluginkit -m
program dsenableroot   loses -d   stops dsenableroot -d   passes dsenableroot --help
program airport   loses -z|--disassociate   stops airport -z   passes airport -I
program yabai skhd aerospace   loses --uninstall-service|--stop-service|--restart-service, close|close-all-windows-but-current, --close
  stops   yabai --uninstall-service ; aerospace close   passes yabai -m query --windows
program patchelf   loses --set-*|--remove-*|--add-*|--replace-*|--shrink-rpath|--clear-*|--no-default-lib   unless --output
  stops   patchelf --set-rpath /x a ; patchelf --remove-needed x a   passes patchelf --print-rpath a ; patchelf --set-rpath /x --output b a
program chrpath   loses -d|--delete|-r|--replace|-c|--convert   stops chrpath -d a   passes chrpath -l a
program objcopy   unless * *   loses *   stops objcopy --strip-all a   passes objcopy --strip-all a b
program pnputil   loses ... /delete*|/remove*|/uninstall*|/disable*|/restart*, -d   stops pnputil /delete-driver a.inf ; pnputil -d a.inf   passes pnputil /enum-drivers
program assoc ftype   loses *=*   stops assoc .txt=   passes assoc .txt
program rasdial   loses ... /disconnect   stops rasdial /disconnect   passes rasdial
program nbtstat klist   loses -R|-RR, purge|purge_bind   stops nbtstat -R   passes nbtstat -n
program rwinsta tsdiscon   loses ...   stops rwinsta 1   passes rwinsta --help
program reset   loses session *   stops reset session 1   passes reset
program defrag   unless ... /a|/A, -a   loses *   stops defrag c:   passes defrag c: /a
program wecutil   loses ds|delete-subscription|rs|ss   stops wecutil ds x   passes wecutil es
program wusa dnscmd   loses ... /uninstall*|/zonedelete*|/recorddelete*|/clearcache*
  stops   wusa /uninstall /kb:1   passes wusa a.msu
program cleanmgr   loses /sagerun*|/autoclean|/verylowdisk|/lowdisk|/setup, * * /verylowdisk|/lowdisk, * /verylowdisk|/lowdisk   stops cleanmgr /autoclean ; cleanmgr /d C /verylowdisk   passes cleanmgr /sageset:1
program dvdmaker   loses _clear_   stops dvdmaker _clear_   passes dvdmaker

program rpmdev-wipetree dh_clean sbuild-destroychroot   loses ...   stops rpmdev-wipetree   passes rpmdev-wipetree --help
program schroot   loses -e|--end-session   stops schroot -e -c x   passes schroot -l
program mkosi   loses clean|burn, -f|--force   stops mkosi -f   passes mkosi summary ; mkosi build
program calicoctl   loses delete|replace|patch, ipam release|configure, datastore lock|unlock, node checksystem --fix   stops calicoctl ipam release --ip=10.0.0.1   passes calicoctl get nodes
program zrok   loses delete|release|disable, admin delete, modify *   stops zrok release x   passes zrok status ; zrok share public 80
program snakemake   loses --unlock|--delete-*|--cleanup-*|-F|--forceall   stops snakemake --unlock ; snakemake --delete-all-output   passes snakemake -n
program db2stop   loses ...   stops db2stop   passes db2stop --help
program surreal   loses import|upgrade|fix   stops surreal import a.surql   passes surreal export a.surql
program asterisk   loses -rx=*stop*|*restart*|*hangup*|*unload*|*reload*|*del*|*delete*|*remove*|*reset*|*clear*|*destroy*|*kick*, -x=*stop*|*restart*|*hangup*|*unload*|*reload*|*del*|*delete*|*remove*|*reset*|*clear*|*destroy*|*kick*
  stops   asterisk -r -x 'channel request hangup x'   passes asterisk -r -x 'core show channels'
program mbsync   loses -X|--expunge|-R|--remove|--expunge-*|--remove-*   stops mbsync -X a   passes mbsync -l a
program vdirsyncer   loses repair   stops vdirsyncer repair x   passes vdirsyncer sync
program calcurse   loses -P|--purge   stops calcurse -P   passes calcurse -Q
program calcurse-caldav   loses --init=keep-remote|keep-local   stops calcurse-caldav --init=keep-remote   passes calcurse-caldav
`;
