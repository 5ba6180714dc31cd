import { table } from './table.js';

export const REMOVERS = table`
rule    tool.removes  medium  removes or stops something
why     it removes or stops its target without asking

program attr   loses -r   stops attr -r note a.txt   passes attr -l a.txt
program aura   loses -O -j   stops aura -Oj   passes aura -O
program chcat   loses * *   stops chcat -- -Secret a.txt   passes chcat -L
program cli4   loses --delete|--put|--patch, ... purge*|*purge*|delete*   stops cli4 --delete /zones/x ; cli4 --post purge_everything=true /zones/x/purge_cache   passes cli4 /zones
program cmdkey subst   loses ... /delete*|/d   stops cmdkey /delete srv ; cmdkey x: /d   passes cmdkey /list
program cmstp   loses ... /u   stops cmstp /u a.inf   passes cmstp a.inf
program couchdb   loses -k|-d   stops couchdb -k   passes couchdb -s
program crypto   loses ... zeroize   stops crypto key zeroize rsa   passes crypto key generate rsa
program cscript   loses ... /unpkey*|/rearm|/upk|/cpky   stops cscript ospp.vbs /unpkey:ABCDE   passes cscript ospp.vbs /dstatus
program doskey   loses ... *= $   stops doskey x=   passes doskey /history
program eclean-kernel   unless -p|--pretend|-l|--list-kernels   loses ...   stops eclean-kernel -n 3   passes eclean-kernel -p -n 3
program emacsclient   loses -e|--eval=*kill-emacs*   stops emacsclient -e '(kill-emacs)'   passes emacsclient a.txt
program fastlane   loses run clear_*|clean_*|reset_*|delete_*|erase_*   stops fastlane run clear_derived_data   passes fastlane run scan
program gacutil   loses -u|-uf|-ul, /u|/uf|/ul   stops gacutil -u Lib   passes gacutil -l
program gpm   loses -k   stops gpm -k   passes gpm -v
program ipconfig   loses /flushdns|/release*|/renew*   stops ipconfig /flushdns   passes ipconfig /all
program jhead   loses -pure*|-purejpg|-de|-di|-dc|-dx|-du   stops jhead -purejpg a.jpg   passes jhead a.jpg
program koji   loses untag-build|untag-pkg|remove-*|block-*   stops koji untag-build dist a-1-1   passes koji list-tags
program kubectx   loses -d|-u|--unset   stops kubectx -d old   passes kubectx -c
program lib lib.exe   loses ... /REMOVE*|/remove*   stops lib /REMOVE:a.obj a.lib   passes lib /LIST a.lib
program logoff   loses ...   stops logoff ; logoff 3   passes logoff --help
program lpoptions   loses -x   stops lpoptions -x office   passes lpoptions -l
program mdutil   loses -E|-X, -i=off   stops mdutil -E /   passes mdutil -s /
program mimikatz   loses ... *::stop*|*::delete*|*::remove*|*::reset*|*::clear*|*::purge*|*::drop*|*::suspend*   stops mimikatz 'service::stop x'   passes mimikatz version
program mocp   loses -x|--exit|-s|--stop|-c|--clear   stops mocp -x   passes mocp -i
program manage-bde bootrec   loses -off, -delete, -wipefreespace, -forcerecovery, -changepassword, /fix*|/rebuildbcd   stops manage-bde -off c: ; bootrec /fixmbr   passes manage-bde -status
program mountvol   loses * /d|/D|/p|/P   stops mountvol x: /d   passes mountvol
program pkgrm rmvirtualenv urpmi.removemedia nun tcpkill DEL ERASE RD RMDIR   loses -*, *   stops pkgrm x   passes pkgrm --help
program quilt   loses pop|fold|delete|remove|revert|rename   stops quilt pop -a   passes quilt series
program rcs   loses -o*|-u*|-M*, -n*|-N*   stops rcs -o1.2 a.c   passes rcs -i a.c
program rip   unless -s|--seance   loses *, -u|-d|--decompose|--unbury   stops rip a.txt   passes rip --seance
program rpcinfo   loses -d   stops rpcinfo -d nfs 3   passes rpcinfo -p
program rusnapshot   loses --clean|--delete|--restore   stops rusnapshot --list --clean --keep 2   passes rusnapshot --list
program shelly   loses purify   stops shelly purify standard   passes shelly query x
program smbcacls   loses -D|-S|-M|--delete|--set|--modify, ... RESET*   stops smbcacls //nas/s a -D ACL:bob   passes smbcacls //nas/s a
program ss   loses -K|--kill   stops ss -K dst 1.2.3.4 ; ss --kill dport = 80   passes ss -tulpn
program ssh-agent   loses -k   stops ssh-agent -k   passes ssh-agent -s
program toolbox   loses rm|rmi|reset   stops toolbox rmi fedora   passes toolbox list
program upnpc   loses -d|-N|-F   stops upnpc -d 80 tcp   passes upnpc -l
program woeusb   loses -d|--device|-p|--partition   stops woeusb --device win.iso /dev/sdb   passes woeusb --help
program write   loses erase   stops write erase   passes write bob
program xhost   loses -*   stops xhost -inet:nas   passes xhost
program z zoxide   loses -x, remove   stops z -x ; z remove d   passes z -l ; z query d
program agedu   loses -R|--remove   stops agedu -R   passes agedu -s . ; agedu --text
program ampy mpremote rshell   loses rm|rmdir|reset|put|run, fs rm|rmdir|cp   stops ampy rmdir x   passes ampy ls
program automount   loses -u   stops automount -u   passes automount -v
program blueutil   loses --unpair|--disconnect|--remove-favourite, -p=0|off, --power=0|off   stops blueutil --unpair x ; blueutil --power 0   passes blueutil --paired
program bt-adapter   loses -s|--set   stops bt-adapter --set Powered 0   passes bt-adapter --info
program bt-device   loses -r|-d|--remove|--disconnect   stops bt-device -r x   passes bt-device -l
program buku   loses -d|--delete, --tag=-   stops buku -d 5 ; buku --delete   passes buku -p ; buku -a url
program burp   loses -a=d|delete|D|Delete|b   stops burp -a d -b 5   passes burp -a l
program cdrskin   loses ... blank=*|format*|deformat*   stops cdrskin blank=all dev=x   passes cdrskin -v --devices
program clamscan clamdscan   loses --remove*, --move=*   stops clamscan --remove a ; clamscan --move=/q a   passes clamscan -r .
program delpart resizepart addpart   loses * *   stops delpart /dev/sda 1   passes delpart --help
program dolt   loses branch|tag -d|-D|--delete|-m|--move|-f|--force, checkout -f|-B, reset --hard, table rm|mv|import -f|-r, remote remove|rm, gc|clean|rebase|revert, push -f|--force, schema import -f|-r, creds rm, commit --amend, merge --abort
  stops   dolt branch -d x ; dolt reset --hard   passes dolt branch ; dolt log ; dolt checkout main
program dot_clean dirs_cleaner   loses *   stops dot_clean -m d   passes dot_clean --help
program fasd   loses -D|--delete   stops fasd -D x   passes fasd -a
program fc-cache   loses -r|--really-force   stops fc-cache -r   passes fc-cache ; fc-cache -v
program growisofs   loses -Z*, -M*   stops growisofs -Z /dev/sr0 a ; growisofs -Z=/dev/sr0 a   passes growisofs --help
program hcitool   loses dc|lewlclr|lewlrm|rmbl|lerlclr|lerlrm   stops hcitool dc x   passes hcitool scan
program howdoi   loses -C|--clear-cache   stops howdoi -C   passes howdoi x
program ideviceinstaller   loses -U|--uninstall|-R|--remove-archive, uninstall|remove   stops ideviceinstaller -U a.b ; ideviceinstaller uninstall a.b   passes ideviceinstaller -l ; ideviceinstaller list
program innochecksum   loses -w|--write|--write*   stops innochecksum --write=crc32 f   passes innochecksum f
program ipython   loses history clear|trim, profile reset   stops ipython history clear   passes ipython profile list
program jira   loses ... delete|close|remove   stops jira sprint close 5   passes jira issue list
program kubens   loses -u|--unset   stops kubens -u   passes kubens -c
program lab   loses mr|issue close|merge|delete, project delete   stops lab mr close 5   passes lab mr list
program llm   loses logs off, keys|templates|aliases|fragments remove|set, models default *   stops llm logs off   passes llm logs list ; llm models
program logcat   loses -c|--clear   stops logcat -c   passes logcat -d
program mandb   unless -p|--no-purge|-u|--user-db   loses -c|--create   stops mandb -c   passes mandb -p
program msmtp-queue   loses -d|-a   stops msmtp-queue -a   passes msmtp-queue -q
program mullvad   loses disconnect|factory-reset|logout|reconnect, account logout|revoke-device|create, auto-connect|lockdown-mode|always-require-vpn set off, relay|dns|obfuscation|bridge|tunnel|split-tunnel|custom-list|api-access ... set|reset|remove|delete|clear|edit
  stops   mullvad disconnect ; mullvad custom-list delete x   passes mullvad status ; mullvad relay list
program mysql_secure_installation mariadb-secure-installation   loses ...   stops mysql_secure_installation   passes mysql_secure_installation --help
program nb   loses delete|move|mv|rename|undelete|unpin|d, * delete|move|rename   stops nb unpin 5 ; nb delete 5   passes nb ls
program nordvpn expressvpn windscribe warp-cli piactl cyberghostvpn surfshark-vpn ivpn
  loses   d|disconnect|down|stop|logout|reset|delete|uninstall, whitelist|allowlist|registration|set|background|dedicatedip|account ... remove|delete|off|disable|defaults|disabled|logout
  stops   nordvpn d ; nordvpn set killswitch off   passes nordvpn status ; nordvpn account
program openvpn3   loses config-remove|config-acl|config-manage, session-manage|sessions-manage -D|--disconnect|-R|--restart|-P|--pause|--cleanup
  stops   openvpn3 session-manage -D -c x   passes openvpn3 sessions-list ; openvpn3 configs-list
program pdnsutil   loses delete-*|clear-*|remove-*|replace-*|edit-*|disable-*|deactivate-*|unset-*|set-*|change-*|load-zone, zone|rrset|tsigkey|metadata|cryptokey|autoprimary|record delete|clear|edit|set|replace|load
  stops   pdnsutil clear-zone x   passes pdnsutil list-all-zones ; pdnsutil check-zone x
program postmap postalias   loses -d, -r   stops postmap -d a f   passes postmap -q a f ; postmap f
program protonvpn-cli protonvpn   loses d|disconnect|dc|r|reconnect|logout|signout, ks|killswitch --off, netshield --off, refresh|configure   stops protonvpn-cli d ; protonvpn-cli ks --off   passes protonvpn-cli status
program pwpolicy   loses -disableuser, -setpassword, -clearaccountpolicies, -setglobalpolicy   stops pwpolicy -u bob -disableuser   passes pwpolicy -getglobalpolicy
program qlmanage qjoypad   loses -r   stops qlmanage -r   passes qlmanage -m
program rcp   loses * *:*   stops rcp a nas:/a   passes rcp nas:/a a
program rethinkdb   loses index-rebuild|restore|import   stops rethinkdb index-rebuild   passes rethinkdb dump
program rfcomm   loses release|unbind   stops rfcomm release 0   passes rfcomm show
program rkdeveloptool   loses rd|ef|wl|wlx|gpt|prm|ul|db   stops rkdeveloptool rd ; rkdeveloptool ef   passes rkdeveloptool ld
program rmlint   loses --dedupe|--shred   stops rmlint --dedupe a b   passes rmlint .
program gdm-restart gdm-safe-restart steamos-factory-reset-config   loses ...   stops gdm-restart   passes gdm-restart --help
program systemd-mount systemd-dissect mount.steamos   loses -u|--umount|--unmount   stops systemd-mount -u x   passes systemd-mount --list ; systemd-dissect a.raw
program systemd-sysext systemd-confext portablectl   loses unmerge|refresh|detach|reattach   stops systemd-sysext unmerge   passes systemd-sysext status
program udiskie-umount systemd-umount cryfs-unmount ecryptfs-umount-private   loses ...   stops udiskie-umount /media/x   passes udiskie-umount --help
program task   loses ... delete|purge|undo|done|modify|edit|stop|denotate   stops task 5 delete ; task 5 done   passes task list ; task add x
program tea   loses issues|issue|i|pulls|pull|pr close, ... delete|rm|d, logout|logins delete   stops tea issues close 5   passes tea issues list
program tldr   loses -c|--clear-cache   stops tldr --clear-cache   passes tldr tar ; tldr -u
program vacuumlo   unless -n   loses *   stops vacuumlo db   passes vacuumlo -n db
`;
