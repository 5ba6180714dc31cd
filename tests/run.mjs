#!/usr/bin/env node
// npm test: everything, on a fresh machine. Prepares what the tests need (Docker, tmux, images), builds, checks, then
// runs the tests beside the code and the system tests, and ends with one line: N passed, N failed.
//
//   npm test                    all of it
//   npm test -- --no-install    never installs Docker or tmux
//   npm test -- system/halt     only the system tests whose path contains this
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

const args = process.argv.slice(2);
const noInstall = args.includes('--no-install');
const yes = args.includes('--yes');
const patterns = args.filter((arg) => !arg.startsWith('--'));
const results = mkdtempSync(join(tmpdir(), 'aish-test-'));
const env = {
  ...process.env,
  PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`,
  NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
  TESTCONTAINERS_RYUK_DISABLED: 'true',
  NX_TUI: 'false',
};

function run(title, command, commandArgs, options = {}) {
  const started = Date.now();
  console.log(`\n--- ${title}`);
  const { status, error } = spawnSync(command, commandArgs, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
    ...options,
  });
  if (error) console.error(`${command}: ${error.message}`);
  console.log(`--- ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - started) / 1000)} s)`);
  return status === 0;
}

const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const engineAnswers = () => spawnSync('deploy/docker/install-engine.sh', ['check'], { stdio: 'ignore' }).status === 0;
const canInstall = () => process.getuid?.() === 0 && existsSync('/etc/debian_version');

/** At a terminal a person is asked first; elsewhere, or with --yes, it is said and done; with --no-install never. */
async function mayInstall(what) {
  if (noInstall || !canInstall()) return false;
  if (yes || !process.stdin.isTTY) {
    console.log(`Installing ${what} from the distribution's packages.`);
    return true;
  }
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question(`The tests need ${what}. Install it from the distribution's packages? [y/N] `);
  ask.close();
  return /^y/i.test(answer.trim());
}

async function prepare() {
  const missing = [];
  if (!engineAnswers()) {
    if (!(await mayInstall('a Docker engine')) || !run('docker engine', 'deploy/docker/install-engine.sh', [])) {
      missing.push('a Docker engine');
      spawnSync('deploy/docker/install-engine.sh', ['commands'], { stdio: 'inherit' });
    }
  }
  if (!has('tmux')) {
    const install =
      'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install tmux';
    if (!(await mayInstall('tmux')) || !run('tmux', 'sh', ['-c', install]))
      missing.push('tmux (your package manager has it)');
  }
  if (missing.length > 0) {
    console.error(`The tests need ${missing.join(' and ')}. They drive the real thing and skip nothing.`);
    return false;
  }
  return (
    run('base images', 'deploy/docker/base-images.sh', []) &&
    run('sandbox image', 'services/sandbox/image/build.sh', [])
  );
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
if (
  !(await prepare()) ||
  !run('build', 'nx', ['run-many', '--targets=build', '--output-style=stream-without-prefixes'])
) {
  totals.failed += 1;
} else {
  if (patterns.length === 0) {
    totals[run('check', process.execPath, ['tests/check.mjs']) ? 'passed' : 'failed'] += 1;
    jest('unit tests', ['--maxWorkers=2', '--testPathIgnorePatterns', '/tests/src/', '/node_modules/', '/dist/']);
  }
  jest('system tests', ['--selectProjects', 'tests', '--runInBand', '--silent=false', ...patterns]);
}
rmSync(results, { recursive: true, force: true });
console.log(`\nall of it took ${Math.round((Date.now() - started) / 1000)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
