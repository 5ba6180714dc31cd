// What tests need of the machine: an engine with compose and buildx, programs, and the images that commands run in.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

const INSTALL = (name) =>
  `apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install ${name}`;
/** Installs Alertmanager without its service, which must not start here: only the program and the files it reads. */
const ALERTMANAGER = (name) =>
  `apt-get -q update && cd "$(mktemp -d)" && apt-get -q download ${name} && dpkg -x ${name}_*.deb . && ` +
  `install usr/bin/${name} /usr/local/bin/ && mkdir -p /usr/share/prometheus && cp -r usr/share/prometheus/alertmanager /usr/share/prometheus/`;

/** The programs that tests call: the command that shows whether it is there, its name, and the Debian package that has it. */
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
  ['dropbear', 'Dropbear', 'dropbear-bin'], // the program alone: no service comes with this package
  ['rootlesskit', 'RootlessKit', 'rootlesskit'],
  ['slirp4netns', 'slirp4netns', 'slirp4netns'],
  ['newuidmap', 'uidmap', 'uidmap'],
  ['prometheus-alertmanager', 'Alertmanager', 'prometheus-alertmanager', ALERTMANAGER],
];

const succeeds = (command) => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;

/**
 * @param run runs a step: its title, the command and its arguments; resolves to whether it succeeded
 * @param options `noInstall`: never install anything; `yes`: never ask. Otherwise a person at a terminal is asked, and without a
 *   terminal it installs and says so. `isSelection`: run without what is missing; the tests that need it fail
 * @returns whether everything that the tests need is there
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
