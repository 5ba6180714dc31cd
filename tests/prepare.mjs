// This script provides everything that tests need: an engine with compose and buildx, programs, and the images for
// commands.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

const INSTALL = (name) =>
  `apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install ${name}`;
/** Installs only the program and the files of Alertmanager, because its service must not start here. */
const ALERTMANAGER = (name) =>
  `apt-get -q update && cd "$(mktemp -d)" && apt-get -q download ${name} && dpkg -x ${name}_*.deb . && ` +
  `install usr/bin/${name} /usr/local/bin/ && mkdir -p /usr/share/prometheus && cp -r usr/share/prometheus/alertmanager /usr/share/prometheus/`;

/**
 * The programs that tests call. Each has the command that shows whether it is installed, its name, and its Debian
 * package.
 */
const PROGRAMS = [
  ['tmux', 'tmux', 'tmux'],
  ['chromium', 'Chromium', 'chromium'],
  ['emacs', 'Emacs', 'emacs-nox'],
  ['ls /usr/share/emacs/site-lisp/elpa-src/org-roam-*', 'org-roam', 'elpa-org-roam'],
  ['zsh', 'zsh', 'zsh'],
  ['fish', 'fish', 'fish'],
  ['ip', 'iproute2', 'iproute2'],
  ['openssl', 'OpenSSL', 'openssl'],
  ['busybox', 'BusyBox', 'busybox'],
  ['ssh', 'the OpenSSH client', 'openssh-client'],
  ['dropbear', 'Dropbear', 'dropbear-bin'], // this package contains only the program and no service
  ['rootlesskit', 'RootlessKit', 'rootlesskit'],
  ['slirp4netns', 'slirp4netns', 'slirp4netns'],
  ['newuidmap', 'uidmap', 'uidmap'],
  ['prometheus-alertmanager', 'Alertmanager', 'prometheus-alertmanager', ALERTMANAGER],
];

const succeeds = (command) => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;

/**
 * @param run runs a step (its title, the command and its arguments), and resolves with whether the step succeeded
 * @param options `noInstall` never installs anything, and `yes` never asks. Otherwise a person at a terminal is asked,
 * and
 *   without a terminal the step is announced and done. `isSelection` continues without missing programs, and tests that
 *   need them fail.
 * @returns whether everything that the tests need is available
 */
export async function prepare(run, { noInstall, yes, isSelection }) {
  const mayInstall = async (what) => {
    if (noInstall || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
    if (yes || !process.stdin.isTTY) {
      console.log(`Installing ${what} from the distribution's packages.`);
      return true;
    }
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question(
      `The tests need ${what}. Install it from the distribution's packages? [y/N] `,
    );
    terminal.close();
    return /^\s*y(es)?\s*$/i.test(answer);
  };

  const { ensureEngine, ensureSandboxImage } = await import('../deploy/launcher/dist/engine.js');
  const missing = [];
  const interactive = process.stdin.isTTY === true;
  const engine = await ensureEngine({ yes, noInstall, interactive, log: (line) => console.log(line) });
  if (engine.kind !== 'ready') missing.push('a Docker engine');
  else if (!succeeds('docker compose version && docker buildx version')) {
    const installed =
      (await mayInstall('docker compose and buildx')) &&
      (await run('compose and buildx', 'deploy/docker/install-engine.sh', []));
    if (!installed) missing.push('docker compose and buildx');
  }
  for (const [command, what, name, how = INSTALL] of PROGRAMS) {
    if (succeeds(command.includes(' ') ? command : `command -v ${command}`)) continue;
    if (!(await mayInstall(what)) || !(await run(what, 'sh', ['-c', how(name)]))) missing.push(what);
  }
  if (missing.length > 0) {
    console.error(`The tests need ${missing.join(' and ')}. They drive the real thing and skip nothing.`);
    if (!isSelection) return false;
  }
  if (!(await run('base images', 'deploy/docker/base-images.sh', []))) return false;
  console.log(`sandbox image: ${await ensureSandboxImage((line) => console.log(line))}`);
  return true;
}
