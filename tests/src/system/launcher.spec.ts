import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelList } from '@aish/contracts/models';
import { closeAll } from '../support/close-all.js';
import { verifies } from '../requirements.js';
import { aish } from '../support/aish.command.js';
import { launchAndWait, removeDataFolder, startEmbeddedAish, type EmbeddedAish } from '../support/embedded.aish.js';

const GOAL = 'find the three largest files under /usr/share and delete the copies you made';

describe('npm start', () => {
  let dataDir: string;
  let running: EmbeddedAish;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'aish-start-'));
    running = await startEmbeddedAish({ dataDir });
  }, 240_000);

  afterAll(
    () =>
      closeAll(
        () => running?.stop('SIGTERM'),
        () => removeDataFolder(dataDir),
      ),
    60_000,
  );

  const connection = () => ({ url: running.client.url, tokenFile: join(dataDir, 'token') });

  it(
    verifies(
      'launcher.start',
      'npm start prints all addresses, protects the token, and says that the demo model answers',
    ),
    async () => {
      expect(running.output).toContain(running.client.url);
      expect(running.output).toContain(join(dataDir, 'token'));
      expect(running.output).toMatch(/demo model.*not a language model/s);
      expect(running.output).not.toContain(running.client.token);
      const last = running.output.slice(running.output.indexOf('aish is ready')).trimEnd().split('\n').slice(-3);
      expect(last.map((each) => each.trim().split(/ {2,}/)[0])).toEqual(['Open this page', 'Sign in with', 'Model']);
      expect((await stat(join(dataDir, 'token'))).mode & 0o777).toBe(0o600);
      const models = await running.client.json(ModelList, 'GET', '/v1/models');
      expect(models.items[0]).toMatchObject({ preset: 'fast', model: 'demo', demo: true, state: 'ready' });
    },
  );

  it(
    verifies('main-job.demo'),
    async () => {
      const started = await aish(connection(), ['norris', GOAL, '--json']);
      expect(started).toMatchObject({ code: 0, stderr: '' });
      const goal: { id: string; number: number } = JSON.parse(started.stdout);
      const decision = await running.client.decisionOf(goal.id);
      expect(decision.action).toMatch(/^rm -rf /);
      const listed = await aish(connection(), ['decisions']);
      expect(listed.stdout).toContain(`d${decision.number}`);
      expect((await aish(connection(), ['decide', `d${decision.number}`, 'proceed'])).code).toBe(0);
      const done = await running.client.until(goal.id, 'done');
      expect(done.actions.filter((action) => action.state === 'finished').length).toBeGreaterThanOrEqual(4);
      expect(done.actions.every((action) => action.outcome?.exitCode === 0)).toBe(true);
      const story = (await aish(connection(), ['show', String(goal.number)])).stdout;
      for (const part of [GOAL, '/usr/share', 'rm -rf', 'proceed', 'admin', 'done', String(done.summary)]) {
        expect(story).toContain(part);
      }
    },
    120_000,
  );

  it(
    verifies('launcher.one-per-folder'),
    async () => {
      const second = await launchAndWait(dataDir);
      expect(second.code).toBe(1);
      expect(second.output).toMatch(new RegExp(`aish is already running .*process ${running.pid}`, 's'));
      expect((await running.client.request('GET', '/v1/health')).status).toBe(200);
    },
    60_000,
  );

  it(
    verifies('launcher.after-kill', 'the next npm start after a kill ends leftover processes and keeps every goal'),
    async () => {
      const goals = await (await running.client.request('GET', '/v1/goals')).json();
      await running.stop('SIGKILL');
      running = await startEmbeddedAish({ dataDir });
      expect(await (await running.client.request('GET', '/v1/goals')).json()).toEqual(goals);
    },
    240_000,
  );

  it(
    verifies('launcher.start', 'Ctrl-C stops all processes of npm start and leaves none'),
    async () => {
      const processes: unknown = JSON.parse(await readFile(join(dataDir, 'processes.json'), 'utf8'));
      const pids = [...JSON.stringify(processes).matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
      expect(pids.length).toBeGreaterThanOrEqual(2);
      expect(await running.stop('SIGINT')).toBe(0);
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
      await expect(fetch(running.client.url)).rejects.toThrow('fetch failed');
    },
    60_000,
  );
});
