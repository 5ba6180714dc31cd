mkdir bin share
printf '#!/bin/sh\r\necho backup done\r\n' > bin/backup.sh
printf '#!/bin/sh\r\necho pruned\r\n' > bin/prune.sh
printf '#!/bin/sh\necho fine\n' > bin/fine.sh
printf 'for\r\nwindows\r\n' > share/readme.txt
chmod +x bin/*.sh
