import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { docker, tryDocker } from './docker.js';
import type { Job } from './job.js';

const BUILD_TIMEOUT_MS = 15 * 60_000;

/**
 * The image of a homelab machine for the jobs. It has a real sshd, services that "supervise NAME" restarts, a name
 * server, and the usual tools.
 */
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

/**
 * The image of a machine among several. It also has the programs of a homelab, and a key with which the machines reach
 * each other.
 */
const HOSTS_DOCKERFILE = (base: string) => `FROM ${base}
RUN printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && apt-get update \\
 && apt-get install -y --no-install-recommends caddy nginx-light restic borgbackup postgresql redis-server nftables git iproute2 \\
      iputils-ping docker.io docker-cli docker-compose busybox-static \\
 && rm -rf /var/lib/apt/lists/* && usermod -aG docker aish \\
 && runuser -u aish -- ssh-keygen -q -t ed25519 -N '' -C machines -f /home/aish/.ssh/id_ed25519 \\
 && runuser -u aish -- cp /home/aish/.ssh/id_ed25519.pub /home/aish/.ssh/authorized_keys \\
 && printf 'Host *\\n  StrictHostKeyChecking accept-new\\n  ConnectTimeout 5\\n' > /etc/ssh/ssh_config.d/machines.conf
RUN install -d /opt/base/bin && cp /bin/busybox /opt/base/bin/ \\
 && for each in sh cat cp date echo env grep head httpd ls mkdir mv nc printf ps rm sed sleep tail test touch wc wget; do \\
      ln -s busybox /opt/base/bin/$each; done \\
 && rm -f /etc/nginx/sites-enabled/default && for each in zfs qm pct; do ln -s lab /usr/local/bin/$each; done
${machineScripts()}`;

const MACHINES = new URL('../machines/', import.meta.url);

/** Returns the programs of the folder `machines`, which `world.sh` and `verify.sh` of several jobs share. */
const machineScripts = (): string =>
  readdirSync(MACHINES)
    .toSorted()
    .map((name) => {
      const text = readFileSync(new URL(name, MACHINES), 'utf8');
      return `COPY --chmod=755 <<'MACHINE' /usr/local/bin/${name}\n${text}MACHINE\n`;
    })
    .join('');

/** Builds missing images of worlds. @returns their names @throws AishError `engine_unavailable` */
export async function ensureWorldImages(
  base: string,
  worlds: ReadonlySet<Job['world']>,
  signal: AbortSignal,
): Promise<WorldImages> {
  const one = await ensure('aish-jobs-world', DOCKERFILE(base), signal);
  if (!worlds.has('hosts')) return { one, several: one };
  return { one, several: await ensure('aish-jobs-hosts', HOSTS_DOCKERFILE(one), signal) };
}

/** The image for a folder or one machine, and the image for several machines. */
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
