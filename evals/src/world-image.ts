import { createHash } from 'node:crypto';
import { docker, tryDocker } from './docker.js';

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

/** Builds the image of worlds if it is not there yet. @returns its name. @throws AishError `engine_unavailable` */
export async function ensureWorldImage(base: string, signal: AbortSignal): Promise<string> {
  const text = DOCKERFILE(base);
  const name = `aish-jobs-world:${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  if ((await tryDocker(['image', 'inspect', name], { signal })).code === 0) return name;
  await docker(['build', '--pull=false', '--quiet', '--tag', name, '-'], {
    input: text,
    signal,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  return name;
}
