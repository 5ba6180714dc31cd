import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../support/service.process.js';

export type Revision = '2025-11-25' | '2026-07-28';
export const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];

/**
 * Scenarios that are expected to fail, each with the reason. A scenario that passes against expectation is a failure,
 * too.
 */
export const EXPECTED = {
  server: {
    '2025-11-25': {
      'tools-call-sampling':
        'aish serves without sessions, so a server of 2025 cannot ask its client; aish asks nothing',
      'tools-call-elicitation': 'the same: questions to the client need a session',
      'elicitation-sep1034-defaults': 'the same: questions to the client need a session',
      'elicitation-sep1330-enums': 'the same: questions to the client need a session',
      'resources-subscribe': 'the same: subscriptions need a session',
      'resources-unsubscribe': 'the same: subscriptions need a session',
    },
    '2026-07-28': {
      'tasks-required-task-error':
        'the SDK answers what a tool throws as a result of that tool; no tool of aish runs as a task alone',
    },
  },
  client: {
    '2025-11-25': {
      'auth/basic-cimd': 'a warning: aish registers itself, for a homelab has no public page that describes its client',
    },
    '2026-07-28': {
      'auth/basic-cimd': 'a warning: aish registers itself, for a homelab has no public page that describes its client',
    },
  },
} as const satisfies Record<'server' | 'client', Record<Revision, Record<string, string>>>;

const SHIM = `${ROOT}tests/conformance-shim.mjs`;
const MAIN = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
const CLIENT = `node ${ROOT}tests/dist/conformance/client.main.js`;
const SIDE_BY_SIDE = 2;

/**
 * Returns the suite's results for aish's endpoint, by scenario: whether every check passed, including the tasks
 * extension.
 */
export async function checkServer(revision: Revision): Promise<ReadonlyMap<string, boolean>> {
  const server = spawn(process.execPath, [`${ROOT}tests/dist/conformance/server.main.js`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const dir = await mkdtemp(join(tmpdir(), 'aish-conformance-'));
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const { output } = await suite(['server', '--url', url, '--requirements', revision, '-o', dir]);
    const notScored = new Set([...output.matchAll(/^ +[✓✗] (\S+) \((?!extension\))/gm)].map(([, name]) => name));
    const results = [...output.matchAll(/^([✓✗]) (\S+): /gm)].filter(([, , name]) => !notScored.has(name));
    return new Map(results.map(([, mark, name]) => [name as string, mark === '✓']));
  } finally {
    server.kill('SIGTERM');
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Returns the suite's results for aish's client. Scenarios run one after another, because the suite would start all of
 * them at once.
 */
export async function checkClient(
  revision: Revision,
  scenarios: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const left = [...scenarios];
  const results = new Map<string, boolean>();
  const work = async (): Promise<void> => {
    for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
      const args = ['client', '--command', CLIENT, '--scenario', scenario, '--spec-version', revision];
      results.set(scenario, (await suite(args)).code === 0);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return results;
}

/** Returns the client scenarios of a revision, without extensions. */
export async function clientScenarios(revision: Revision): Promise<readonly string[]> {
  const { output } = await suite(['list']);
  const [, client = ''] = output.split('Client scenarios');
  const [ours = ''] = client.split('Authorization server scenarios');
  return [...ours.matchAll(/- (\S+) \[([^\]]*)\]/g)]
    .filter(([, , revisions]) => revisions?.split(',').includes(revision))
    .map(([, name]) => name as string);
}

/** Returns the differences from the expectation as lines for people, or none. */
export function surprises(
  results: ReadonlyMap<string, boolean>,
  expected: Readonly<Record<string, string>>,
): readonly string[] {
  return [...results].flatMap(([name, passed]) => {
    if (passed) return name in expected ? [`${name} passes, though it is expected not to`] : [];
    return name in expected ? [] : [`${name} does not pass`];
  });
}

async function suite(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const all = ['--import', SHIM, MAIN, ...args];
    execFile(process.execPath, all, { timeout: 180_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: `${stdout}\n${stderr}` });
    });
  });
}
