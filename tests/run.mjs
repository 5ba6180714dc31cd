#!/usr/bin/env node
// npm test: everything, on a fresh machine. Prepares what the tests need (Docker, the programs listed below, images), builds, checks,
// then runs the tests beside the code and the system tests, and ends with one line: N passed, N failed.
//
//   npm test                    all of it
//   npm test -- --no-install    never installs any of that
//   npm test -- system/halt     only the system tests whose path contains this
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

/** No step takes nearly as long, on slow machines too; one that hangs is ended and has failed, so that the closing line always comes. */
const HANG_MS = 45 * 60_000;

const args = process.argv.slice(2);
const noInstall = args.includes('--no-install');
const yes = args.includes('--yes');
const patterns = args.filter((arg) => !arg.startsWith('--'));
const results = mkdtempSync(join(tmpdir(), 'aish-test-'));
const env = {
  ...process.env,
  PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`,
  TESTCONTAINERS_RYUK_DISABLED: 'true',
  NX_TUI: 'false',
};

function run(title, command, commandArgs) {
  const started = Date.now();
  console.log(`\n--- ${title}`);
  const { status, error } = spawnSync(command, commandArgs, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
    timeout: HANG_MS,
  });
  if (error) console.error(`${command}: ${error.message}`);
  console.log(`--- ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - started) / 1000)} s)`);
  return status === 0;
}

/** Begins a step that the next ones need not wait for. @returns what waits for its end and shows what it said. */
function begin(title, command, commandArgs) {
  const child = spawn(command, commandArgs, { stdio: ['ignore', 'pipe', 'pipe'], env, timeout: HANG_MS });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece));
  const ended = once(child, 'close').catch((error) => [error.message]);
  return async () => {
    const [code] = await ended;
    console.log(`\n--- ${title}\n${Buffer.concat(said)}--- ${title}: ${code === 0 ? 'ok' : `FAILED (${code})`}`);
    return code === 0;
  };
}

const succeeds = (command) => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;
const INSTALL = (name) =>
  `apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install ${name}`;
/** Of Alertmanager without its service, which must not start here: the program and what it reads. */
const ALERTMANAGER = (name) =>
  `apt-get -q update && cd "$(mktemp -d)" && apt-get -q download ${name} && dpkg -x ${name}_*.deb . && ` +
  `install usr/bin/${name} /usr/local/bin/ && mkdir -p /usr/share/prometheus && cp -r usr/share/prometheus/alertmanager /usr/share/prometheus/`;

/** What tests call: the command, or what tells that it is there, what people call it, and the package that has it. */
const PROGRAMS = [
  ['tmux', 'tmux', 'tmux'],
  ['chromium', 'Chromium', 'chromium'],
  ['emacs', 'Emacs', 'emacs-nox'],
  ['ls /usr/share/emacs/site-lisp/elpa-src/org-roam-*', 'org-roam', 'elpa-org-roam'],
  ['zsh', 'zsh', 'zsh'],
  ['fish', 'fish', 'fish'],
  ['ip', 'iproute2', 'iproute2'],
  ['openssl', 'OpenSSL', 'openssl'],
  ['ssh', 'the OpenSSH client', 'openssh-client'],
  ['dropbear', 'Dropbear', 'dropbear-bin'], // the program alone: no service comes with this package
  ['rootlesskit', 'RootlessKit', 'rootlesskit'],
  ['slirp4netns', 'slirp4netns', 'slirp4netns'],
  ['newuidmap', 'uidmap', 'uidmap'],
  ['prometheus-alertmanager', 'Alertmanager', 'prometheus-alertmanager', ALERTMANAGER],
];

/** At a terminal a person is asked first; elsewhere, or with --yes, it is said and done; with --no-install never. */
async function mayInstall(what) {
  if (noInstall || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  if (yes || !process.stdin.isTTY) {
    console.log(`Installing ${what} from the distribution's packages.`);
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`The tests need ${what}. Install it from the distribution's packages? [y/N] `);
  terminal.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}

/** What the tests drive: an engine with compose and buildx, programs, and the images. */
async function prepare() {
  const { ensureEngine, ensureSandboxImage } = await import('../deploy/launcher/dist/engine.js');
  const missing = [];
  const interactive = process.stdin.isTTY === true;
  const engine = await ensureEngine({ yes, noInstall, interactive, log: (line) => console.log(line) });
  if (engine.kind !== 'ready') missing.push('a Docker engine');
  else if (!succeeds('docker compose version && docker buildx version')) {
    const installed =
      (await mayInstall('docker compose and buildx')) &&
      run('compose and buildx', 'deploy/docker/install-engine.sh', []);
    if (!installed) missing.push('docker compose and buildx');
  }
  for (const [command, what, name, how = INSTALL] of PROGRAMS) {
    if (succeeds(command.includes(' ') ? command : `command -v ${command}`)) continue;
    if (!(await mayInstall(what)) || !run(what, 'sh', ['-c', how(name)])) missing.push(what);
  }
  if (missing.length > 0) {
    console.error(`The tests need ${missing.join(' and ')}. They drive the real thing and skip nothing.`);
    return false;
  }
  if (!run('base images', 'deploy/docker/base-images.sh', [])) return false;
  console.log(`sandbox image: ${await ensureSandboxImage((line) => console.log(line))}`);
  return true;
}

const totals = { passed: 0, failed: 0 };
function jest(title, jestArgs) {
  const file = join(results, `${title.replaceAll(/\W/g, '-')}.json`);
  const ok = run(title, process.execPath, [
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${file}`,
    ...jestArgs,
  ]);
  if (!existsSync(file)) {
    totals.failed += 1;
    return;
  }
  const result = JSON.parse(readFileSync(file, 'utf8'));
  totals.passed += result.numPassedTests;
  totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  // A skipped test is a test that did not hold: nothing is skipped on a machine that the tests prepared.
  totals.failed += result.numPendingTests + result.numTodoTests;
  if (!ok && result.success) totals.failed += 1;
}

const started = Date.now();
// The build comes first: what prepares the machine is built with it.
const built = run('build', 'nx', ['run-many', '--targets=build', '--output-style=stream-without-prefixes']);
if (!built) {
  totals.failed += 1;
} else {
  // Preparing waits for the network, checking for the processor.
  const checked = patterns.length === 0 ? begin('check', process.execPath, ['tests/check.mjs']) : null;
  const isPrepared = await prepare();
  if (checked !== null) totals[(await checked()) ? 'passed' : 'failed'] += 1;
  if (!isPrepared) {
    totals.failed += 1;
  } else {
    // They wait more than they work, for containers and for git.
    const units = ['--maxWorkers=3', '--testPathIgnorePatterns', '/tests/src/', '/node_modules/', '/dist/'];
    if (patterns.length === 0) jest('unit tests', units);
    // Each has processes, ports, a database and an instance of its own. With a third at once, times in tests run out.
    jest('system tests', ['--selectProjects', 'tests', '--maxWorkers=2', '--silent=false', ...patterns]);
  }
}
rmSync(results, { recursive: true, force: true });
console.log(`\nall of it took ${Math.round((Date.now() - started) / 1000)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
