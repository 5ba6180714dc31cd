#!/usr/bin/env node
// npm test and npm run test:release build aish, prepare the machine (tests/prepare.mjs), and run one tier of the tests.
//
//   npm test                         the check, the unit tests, and the system tests of what people use every day
//   npm run test:release             everything else: deployments, several machines, chaos, upgrades, benchmarks
//   npm test -- system/goals         only the specs whose path contains this, of both tiers
//   npm test -- system/goals -t 409  of these, only the tests whose name contains this
//   npm test -- --no-install         install nothing that is missing on this machine
//
// The last line is always `N passed, N failed`. The lines before it list the slowest tests and the time of each phase;
// test-times.log and test-times-release.log list all of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { failuresOf, timesOf } from './times.mjs';

/**
 * No step takes nearly this long, even on slow machines. A step that hangs fails after this time, so that the last line
 * always appears.
 */
const HANG_MS = 75 * 60_000;

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    release: { type: 'boolean', default: false },
    'no-install': { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    'name-contains': { type: 'string', short: 't' },
  },
});
const nameContains = options['name-contains'];
const isSelection = patterns.length > 0 || nameContains !== undefined;
const results = mkdtempSync(join(tmpdir(), 'aish-test-'));
const env = {
  ...process.env,
  PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`,
  TESTCONTAINERS_RYUK_DISABLED: 'true',
  NX_TUI: 'false',
};
const totals = { passed: 0, failed: 0 };
const phases = [];
const suites = [];
/** The end of the output lists the failures, because people look there first. */
const failed = [];
/** The list of failures repeats this many lines of a step whose output is not Jest's. */
const LAST_LINES = 6;

function finish(title, ms, ok, output = '') {
  phases.push([title, ms]);
  if (!ok) failed.push([title, ...output.trimEnd().split('\n').slice(-LAST_LINES)].join('\n    '));
  console.log(`--- ${title}: ${ok ? 'ok' : 'FAILED'} (${Math.round(ms / 1000)} s)`);
  return ok;
}

function start(command, commandArgs, stdio) {
  const child = spawn(command, commandArgs, { stdio, env, timeout: HANG_MS });
  const ended = once(child, 'close').catch((error) => [`${command}: ${error.message}`]);
  return { child, ended };
}

async function run(title, command, commandArgs) {
  const started = Date.now();
  console.log(`\n--- ${title}`);
  const [code] = await start(command, commandArgs, ['ignore', 'inherit', 'inherit']).ended;
  if (typeof code === 'string') console.error(code);
  return finish(title, Date.now() - started, code === 0);
}

/** Starts a step in parallel with the next ones. @returns a function that waits for the step and shows its output */
function begin(title, command, commandArgs) {
  const started = Date.now();
  const { child, ended } = start(command, commandArgs, ['ignore', 'pipe', 'pipe']);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => output.push(piece));
  const result = ended.then(([code]) => ({ code, ms: Date.now() - started }));
  return async () => {
    const { code, ms } = await result;
    const text = Buffer.concat(output).toString();
    console.log(`\n--- ${title}\n${text}`);
    return finish(title, ms, code === 0, text);
  };
}

const count = (ok) => (totals[ok ? 'passed' : 'failed'] += 1);

async function jest(title, jestArgs) {
  const file = join(results, `${title.replaceAll(/\W/g, '-')}.json`);
  const ok = await run(title, process.execPath, [
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${file}`,
    ...jestArgs,
  ]);
  if (!existsSync(file)) return count(false);
  const result = JSON.parse(readFileSync(file, 'utf8'));
  suites.push(...result.testResults);
  failed.push(...failuresOf(result.testResults));
  totals.passed += result.numPassedTests;
  totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites + result.numTodoTests;
  // A skipped test proves nothing. Only a selection by name may omit tests.
  if (nameContains === undefined) totals.failed += result.numPendingTests;
  if (!ok && result.success) count(false);
}

/** Returns the folders of tests/src in a tier, as patterns for Jest. */
async function foldersOf(tier) {
  const { TIERS } = await import('./dist/requirements.js');
  return Object.keys(TIERS).flatMap((folder) => (TIERS[folder] === tier ? `/tests/src/${folder}/` : []));
}

/**
 * These specs are beside the code but belong to the release tier, because they take long or kill processes at random.
 */
const RELEASE_SPECS = String.raw`\.release\.spec\.ts$`;
const NO_SPECS = ['/node_modules/', '/dist/'];
/**
 * Each suite has its own processes, ports, database and instance, and spends half of its time waiting for containers
 * and git.
 */
const atOnce = (suites) => [`--maxWorkers=${suites}`, '--silent=false', '--testPathIgnorePatterns', ...NO_SPECS];

/** Runs every benchmark, one after another, because pages quote figures from each of them. */
async function runBenchmarks() {
  for (const file of readdirSync('bench/src').toSorted()) {
    const name = /^(.+)\.bench\.ts$/.exec(file)?.[1];
    if (name === undefined) continue;
    const ended = begin(`bench ${name}`, process.execPath, ['bench/dist/main.js', name, '--quick']);
    count(await ended());
  }
}

/** @param checked waits for the check, which runs in parallel with the tests; null if there is no check */
async function runTests(checked) {
  if (isSelection) {
    const byName = nameContains === undefined ? [] : ['--testNamePattern', nameContains.replaceAll(/[^\w ]/g, '\\$&')];
    await jest('tests', [...atOnce(3), ...byName, '--testPathPatterns', ...patterns]);
    if (totals.passed + totals.failed > 0) return;
    console.error('No test matches.');
    count(false);
  } else if (options.release) {
    // A small load only shows that a benchmark works, not how fast aish is, so other steps may run in parallel.
    const benchmarks = runBenchmarks();
    // Every suite that starts containers of aish uses these images.
    count(await run('images', 'docker', ['compose', 'build']));
    env.AISH_TEST_IMAGES = 'built';
    const specs = [RELEASE_SPECS, ...(await foldersOf('release'))];
    await jest('release tests', [...atOnce(3), '--testPathPatterns', ...specs]);
    await benchmarks;
  } else {
    await jest('tests', [...atOnce(3), RELEASE_SPECS, ...(await foldersOf('release'))]);
    count(await checked());
  }
}

const started = Date.now();
// The build comes first, because it also builds the code that prepares the machine.
if (await run('build', 'nx', ['run-many', '--targets=build', '--output-style=stream-without-prefixes'])) {
  // The check uses the processor while the preparation waits for the network and while tests wait for containers.
  const checked = isSelection || options.release ? null : begin('check', process.execPath, ['tests/check.mjs']);
  const prepareStarted = Date.now();
  const isPrepared = await prepare(run, { noInstall: options['no-install'], yes: options.yes, isSelection });
  phases.push(['prepare', Date.now() - prepareStarted]);
  if (isPrepared) await runTests(checked);
  else {
    count(false);
    if (checked !== null) count(await checked());
  }
} else count(false);
rmSync(results, { recursive: true, force: true });

phases.push(['all', Date.now() - started]);
const { summary, everything } = timesOf(phases, suites);
writeFileSync(options.release ? 'test-times-release.log' : 'test-times.log', `${everything.join('\n')}\n`);
console.log(`\n${summary.join('\n')}`);
if (failed.length > 0) console.log(`failed:\n${failed.map((each) => `  ${each}`).join('\n')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
