printf '#!/bin/sh\necho scrubbed\n' > /usr/local/bin/scrub; chmod +x /usr/local/bin/scrub
printf '# of aish\n0 2 * * * /usr/local/bin/scrub --quick\n' | crontab -u aish -
