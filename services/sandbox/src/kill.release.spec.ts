import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { RunRequestInput } from '@aish/contracts/runs';
import { cleanUp, docker, newTestSettings, until, type Caller, type TestSettings } from '../testing/sandbox.fixture.js';
import { startService, stopService, type Service } from '../testing/service.fixture.js';

/** The test kills the service this many times. `KILLS=50 npx jest kill` is the long version. */
const KILLS = Number(process.env['KILLS'] ?? 10);
const WORKSPACES = 3;
const CUT_OFF_MS = 3_000;

jest.setTimeout(60_000 + KILLS * 20_000);

let ground: TestSettings;
let service: Service;
beforeEach(async () => {
  ground = await newTestSettings({ LOG_LEVEL: 'error' });
});
afterEach(async () => {
  await stopService(service, 'SIGKILL');
  await cleanUp(ground);
});

async function namesOfContainers(): Promise<string[]> {
  const filters = { label: [`dev.aish.instance=${ground.instance}`] };
  return (await docker.listContainers({ all: true, filters })).map(({ Names }) => Names[0] ?? '');
}

/**
 * Asks for a run until its outcome is known. A run that the service does not know has not begun, so the run is
 * requested again.
 */
async function outcomeOf(sandbox: Caller, request: RunRequestInput): Promise<RunOutcome | 'lost'> {
  for await (const frame of sandbox.frames(request)) {
    if (frame.type === 'exit') return frame.outcome;
    if (frame.type === 'error' && frame.problem.code === 'run_lost') return 'lost';
    if (frame.type === 'error') throw new Error(JSON.stringify(frame.problem));
  }
  throw new Error('the stream broke off');
}

it(`after ${KILLS} kills, no command has run twice, no outcome is lost and no container is left`, async () => {
  const workspaces = Array.from({ length: WORKSPACES }, () => randomUUID());
  const known = new Map<RunRequestInput, RunOutcome | 'lost'>();
  const tally = { cutOff: 0, neverBegan: 0, takenOver: 0, ended: 0, lost: 0 };
  const answers: Array<readonly [unknown, unknown]> = [];
  const endings: Array<readonly [unknown, unknown]> = [];
  service = await startService(ground);
  for (let kill = 0; kill < KILLS; kill++) {
    const { sandbox } = service;
    // Odd rounds wait for warm containers. In even rounds the commands may come while those containers start.
    if (kill % 2 === 1) {
      await Promise.all(workspaces.map((id) => sandbox.ask('POST', `/v1/workspaces/${id}/prepare`)));
    }
    const requests = workspaces.map((workspaceId, i): RunRequestInput => {
      const runId = randomUUID();
      // Some runs end before the kill, some after it, and some during it.
      const command = `echo ${runId} >> /workspace/log; sleep ${[0, 0.1, 0.9][i]}; exit ${i}`;
      return { runId, workspaceId, command, timeoutMs: 20_000 };
    });
    const asked = requests.map((request) => outcomeOf(sandbox, request).catch(() => null));
    // The kills come at different moments, from the first millisecond on.
    await new Promise((resolve) => setTimeout(resolve, (kill * 37) % 260));
    await stopService(service, 'SIGKILL');
    // Node's fetch sometimes does not notice that a server dies while it connects. Such a request counts as
    // interrupted.
    const toldNothing = sleep(CUT_OFF_MS, null, { ref: false });
    const before = await Promise.all(asked.map((each) => Promise.race([each, toldNothing])));

    service = await startService(ground);
    for (const [i, request] of requests.entries()) {
      const { status, body } = await service.sandbox.ask('GET', `/v1/runs/${request.runId}`);
      if (status === 404) tally.neverBegan++;
      else if ((body as { state: string }).state === 'running') tally.takenOver++;
      const outcome = await outcomeOf(service.sandbox, request);
      const cutOff = before[i] === null;
      if (cutOff) tally.cutOff++;
      tally[outcome === 'lost' ? 'lost' : 'ended']++;
      // A result that was known before the kill does not change. Any other run either ends as its command says, or is
      // lost.
      if (cutOff && outcome !== 'lost') endings.push([outcome.exitCode, i]);
      if (!cutOff) answers.push([outcome, before[i]]);
      known.set(request, outcome);
    }
  }

  expect(answers.map(([after]) => after)).toEqual(answers.map(([, before]) => before));
  expect(endings.map(([seen]) => seen)).toEqual(endings.map(([, wanted]) => wanted));
  const { sandbox } = service;
  for (const [request, outcome] of known) expect(await outcomeOf(sandbox, request)).toEqual(outcome);
  const lines = new Map<string, number>();
  for (const workspaceId of workspaces) {
    const { stdout } = await sandbox.run('cat /workspace/log', { workspaceId });
    for (const runId of stdout.trim().split('\n')) lines.set(runId, (lines.get(runId) ?? 0) + 1);
  }
  const times = (runId: string) => lines.get(runId) ?? 0;
  const isKnown = ([, outcome]: readonly [RunRequestInput, RunOutcome | 'lost']) => outcome !== 'lost';
  expect([...known].filter(isKnown).filter(([{ runId }]) => times(runId) !== 1)).toEqual([]);
  expect([...known].filter(([{ runId }]) => times(runId) > 1)).toEqual([]);
  process.stdout.write(`${KILLS} kills: ${JSON.stringify(tally)}\n`);
  await until(
    async () => (await namesOfContainers()).filter((name) => !name.startsWith('/aish-warm-')).length <= 1,
    'no orphan is left',
  );
  const left = await namesOfContainers();
  // The keeper of the layers is expected, because it lives as long as the service.
  expect(left.filter((name) => !name.startsWith('/aish-warm-'))).toEqual([expect.stringMatching(/^\/aish-keeper-/)]);
  expect(left.length - 1).toBeLessThanOrEqual(ground.config.WARM_MAX);
  expect(await stopService(service, 'SIGTERM')).toEqual([0, null]);
  expect(await namesOfContainers()).toEqual([]);
});
