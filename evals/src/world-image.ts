import { createHash } from 'node:crypto';
import { docker, tryDocker } from './docker.js';
import type { Job } from './job.js';

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** What a machine of a homelab has that its jobs need: a real sshd, services that "supervise NAME" keeps up, a name server, the usual tools. */
const DOCKERFILE = (base: string) => `FROM ${base}
RUN apt-get update \\
 && apt-get install -y --no-install-recommends openssh-server sudo runit rsync openssl sqlite3 jq python3 \\
      procps psmisc curl dnsmasq-base cron acl file bind9-dnsutils bc xz-utils \\
 && rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_* \\
 && useradd --uid 1000 --create-home --shell /bin/bash aish \\
 && echo 'aish ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/aish \\
 && install -d -o aish -g aish -m 0700 /home/aish/.ssh \\
 && install -d -o aish -g aish /workspace /before \\
 && install -d /run/sshd /etc/service \\
 && printf '#!/bin/sh\\nexec setsid -f runsv /etc/service/"$1" </dev/null >/dev/null 2>&1\\n' > /usr/local/bin/supervise \\
 && chmod +x /usr/local/bin/supervise
ENV LANG=C.UTF-8
`;

/** What the machines of several have besides: the programs of a homelab, and a key by which they reach each other. */
const HOSTS_DOCKERFILE = (base: string) => `FROM ${base}
RUN printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && apt-get update \\
 && apt-get install -y --no-install-recommends caddy restic borgbackup postgresql redis-server nftables git iproute2 \\
      iputils-ping docker.io docker-cli docker-compose busybox-static \\
 && rm -rf /var/lib/apt/lists/* && usermod -aG docker aish \\
 && runuser -u aish -- ssh-keygen -q -t ed25519 -N '' -C machines -f /home/aish/.ssh/id_ed25519 \\
 && runuser -u aish -- cp /home/aish/.ssh/id_ed25519.pub /home/aish/.ssh/authorized_keys \\
 && printf 'Host *\\n  StrictHostKeyChecking accept-new\\n  ConnectTimeout 5\\n' > /etc/ssh/ssh_config.d/machines.conf
RUN <<'SETUP'
install -d /opt/base/bin && cp /bin/busybox /opt/base/bin/
for each in sh cat cp date echo env grep head httpd ls mkdir mv nc printf ps rm sed sleep tail test touch wc wget; do ln -s busybox /opt/base/bin/$each; done
# Starts a Docker with one image, home/base:1, and returns when both are there.
cat > /usr/local/bin/start-docker <<'START'
#!/bin/sh -e
mkdir -p /etc/service/docker
printf '#!/bin/sh\\nrm -f /var/run/docker.pid\\nexec dockerd > /var/log/docker.log 2>&1\\n' > /etc/service/docker/run
chmod +x /etc/service/docker/run
supervise docker
for n in $(seq 300); do docker info > /dev/null 2>&1 && break; sleep 0.1; done
tar -C /opt/base -c . | docker import - home/base:1 > /dev/null
START
# Starts PostgreSQL; PGDATA is /var/lib/pg, its log /var/log/pg.log, "aish" a superuser.
cat > /usr/local/bin/start-postgres <<'START'
#!/bin/sh -e
bin=/usr/lib/postgresql/17/bin
install -d -o postgres -g postgres /var/lib/pg /run/postgresql /etc/service/postgres
runuser -u postgres -- $bin/initdb -D /var/lib/pg -A trust -N > /dev/null
printf "fsync = off\\nlisten_addresses = '*'\\n" >> /var/lib/pg/postgresql.conf
printf '#!/bin/sh\\nexec chpst -u postgres:postgres %s/postgres -D /var/lib/pg >> /var/log/pg.log 2>&1\\n' $bin > /etc/service/postgres/run
chmod +x /etc/service/postgres/run
touch /var/log/pg.log && chown postgres /var/log/pg.log
supervise postgres
for n in $(seq 300); do runuser -u postgres -- psql -c 'create role aish superuser login' postgres > /dev/null 2>&1 && break; sleep 0.1; done
START
chmod +x /usr/local/bin/start-docker /usr/local/bin/start-postgres
SETUP
`;

/** Builds the images of worlds that are not there yet. @returns their names. @throws AishError `engine_unavailable` */
export async function ensureWorldImages(
  base: string,
  worlds: ReadonlySet<Job['world']>,
  signal: AbortSignal,
): Promise<WorldImages> {
  const one = await ensure('aish-jobs-world', DOCKERFILE(base), signal);
  if (!worlds.has('hosts')) return { one, several: one };
  return { one, several: await ensure('aish-jobs-hosts', HOSTS_DOCKERFILE(one), signal) };
}

/** Of a folder or one machine, and of several machines. */
export interface WorldImages {
  readonly one: string;
  readonly several: string;
}

async function ensure(repository: string, text: string, signal: AbortSignal): Promise<string> {
  const name = `${repository}:${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  if ((await tryDocker(['image', 'inspect', name], { signal })).code === 0) return name;
  await docker(['build', '--pull=false', '--quiet', '--tag', name, '-'], {
    input: text,
    signal,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  return name;
}
