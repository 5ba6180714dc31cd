// This module reports the failures of a run, and the duration of its phases, areas, suites and tests.
import { relative } from 'node:path';

const SLOWEST = 30;
const SLOWEST_SUITES = 15;

/**
 * Returns the area of a file: a package, a service, a client, or a folder of the sandbox. Each spec of tests/src is a
 * separate area.
 */
function areaOf(file) {
  const [kind, name, , folder] = file.split('/');
  if (kind === 'tests') return file;
  if (name === 'sandbox' && !folder.includes('.')) return `${kind}/${name}/src/${folder}`;
  return kind === 'bench' ? kind : `${kind}/${name}`;
}

const seconds = (ms) => (ms / 1000).toFixed(1).padStart(7);

/**
 * Returns the durations as lines. `phases` are [title, milliseconds], and `suites` are the testResults of Jest's
 * --json.
 */
export function timesOf(phases, suites) {
  const files = suites.map(({ name, startTime, endTime, assertionResults }) => {
    const ran = assertionResults.filter(({ duration }) => typeof duration === 'number');
    // Before its first test, a suite loads its modules and runs its beforeAll.
    const first = Math.min(...ran.map(({ startAt }) => startAt));
    return {
      file: relative(process.cwd(), name),
      ms: endTime - startTime,
      setUp: ran.length === 0 ? endTime - startTime : Math.max(0, first - startTime),
      tests: ran.map(({ fullName, duration }) => ({ fullName, duration })),
    };
  });
  const areas = new Map();
  for (const { file, ms } of files) areas.set(areaOf(file), (areas.get(areaOf(file)) ?? 0) + ms);
  const tests = files.flatMap((suite) => suite.tests.map((test) => ({ ...test, file: suite.file })));
  const suiteLine = ({ file, ms, setUp }) => `${seconds(ms)} s, set-up ${seconds(setUp).trim()} s  ${file}`;
  const slowest = tests.toSorted((a, b) => b.duration - a.duration).slice(0, SLOWEST);
  const bySize = files.toSorted((a, b) => b.ms - a.ms);
  const summary = [
    `the slowest ${slowest.length} tests:`,
    ...slowest.map(({ duration, file, fullName }) => `${seconds(duration)} s  ${file}: ${fullName.slice(0, 100)}`),
    'the slowest suites:',
    ...bySize.slice(0, SLOWEST_SUITES).map(suiteLine),
    'phases:',
    ...phases.map(([title, ms]) => `${seconds(ms)} s  ${title}`),
  ];
  const everything = [
    ...summary,
    'areas, one suite after the other:',
    ...[...areas].toSorted(([, a], [, b]) => b - a).map(([area, ms]) => `${seconds(ms)} s  ${area}`),
    'all suites:',
    ...bySize.map(suiteLine),
  ];
  return { summary, everything };
}

/** Returns a line for each failed test, and for each suite that did not start. `suites` are as in `timesOf`. */
export function failuresOf(suites) {
  return suites.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map(({ fullName }) => `${relative(process.cwd(), name)}: ${fullName}`);
    return status === 'failed' ? [relative(process.cwd(), name)] : [];
  });
}
