import { table } from './table.js';

export const REMOVERS = table`
rule    tool.removes  medium  removes or stops something, with an option or a name of its own
why     what it is told of is gone or stops, and it asks nobody

program attr   loses -r   stops attr -r note a.txt   passes attr -l a.txt
program aura   loses -O -j   stops aura -Oj   passes aura -O
program bclm   loses unpersist   stops bclm unpersist   passes bclm read
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
program pkgrm rmvirtualenv urpmi.removemedia nun tcpkill DEL ERASE RD RMDIR   loses -*, *   stops pkgrm x   passes pkgrm --help
program quilt   loses pop|fold|delete|remove|revert|rename   stops quilt pop -a   passes quilt series
program rcs   loses -o*|-u*|-M*, -n*|-N*   stops rcs -o1.2 a.c   passes rcs -i a.c
program rip   unless -s|--seance   loses *, -u|-d|--decompose|--unbury   stops rip a.txt   passes rip --seance
program rpcinfo   loses -d   stops rpcinfo -d nfs 3   passes rpcinfo -p
program rusnapshot   loses --clean|--delete|--restore   stops rusnapshot --list --clean --keep 2   passes rusnapshot --list
program shelly   loses purify   stops shelly purify standard   passes shelly query x
program sips   unless -o|--out   loses -d|--delete*   stops sips --deleteProperty profile a.png   passes sips -g all a.png
program smbcacls   loses -D|-S|-M|--delete|--set|--modify, ... RESET*   stops smbcacls //nas/s a -D ACL:bob   passes smbcacls //nas/s a
program ss   loses -K|--kill   stops ss -K dst 1.2.3.4 ; ss --kill dport = 80   passes ss -tulpn
program ssh-agent   loses -k   stops ssh-agent -k   passes ssh-agent -s
program toolbox   loses rm|rmi|reset   stops toolbox rmi fedora   passes toolbox list
program upnpc   loses -d|-N|-F   stops upnpc -d 80 tcp   passes upnpc -l
program woeusb   loses -d|--device|-p|--partition   stops woeusb --device win.iso /dev/sdb   passes woeusb --help
program write   loses erase   stops write erase   passes write bob
program xhost   loses -*   stops xhost -inet:nas   passes xhost
program z zoxide   loses -x, remove   stops z -x ; z remove d   passes z -l ; z query d
`;
