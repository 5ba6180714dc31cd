import { describe, expect, it } from '@jest/globals';
import { scriptsOnHost } from './scripts-on-host.js';

describe('the scripts that a command line runs on a host', () => {
  it.each<[string, readonly string[]]>([
    ['./update.sh', ['update.sh']],
    ['sudo /opt/x.sh --now', ['/opt/x.sh']],
    ['cd /opt && sh fmt.sh', ['/opt/fmt.sh']],
    ['~/bin/tidy.sh', ['~/bin/tidy.sh']],
    ['bash -x /srv/a.sh; python3 /srv/b.py', ['/srv/a.sh', '/srv/b.py']],
    ['make -C /srv all', ['/srv/GNUmakefile', '/srv/makefile', '/srv/Makefile']],
    [
      'cd /srv/app && docker compose up -d',
      ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'].map((name) => `/srv/app/${name}`),
    ],
    ['cd /srv && awk -f sum.awk x', ['/srv/sum.awk']],
    ['kubectl delete --filename=/srv/x.yaml', ['/srv/x.yaml']],
    ['bash -o errexit /srv/a.sh', ['/srv/a.sh']],
    ['sh -c "/opt/y.sh"', ['/opt/y.sh']],
    ['. /etc/x.env; touch /tank/x', ['/etc/x.env']],
    ["python3 -c 'print(1)'", []],
    ['/usr/bin/touch /tank/x', []],
    ['rm -rf /tank/x', []],
    ['$SCRIPT', []],
  ])('the scripts of `%s` are listed', (command, paths) => {
    expect(scriptsOnHost(command)).toEqual(paths);
  });
});
