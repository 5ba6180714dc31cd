import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';

const METRICS_TOKEN = 'a-token-for-prometheus';
let ground: TestSettings;
let service: Service;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  ground = await newTestSettings({ METRICS_TOKEN, LOG_LEVEL: 'info' });
  service = await startService(ground, (entry) => logged.push(entry));
}, 120_000);

afterAll(async () => {
  await stopService(service, 'SIGTERM');
  await cleanUp(ground);
});

const read = (token: string) => service.sandbox.ask('GET', '/metrics', undefined, token);

describe('logs and metrics', () => {
  it('Prometheus gets the gauges and the number of commands by outcome, but only with METRICS_TOKEN', async () => {
    expect((await read('another-token-of-16')).status).toBe(401);
    expect((await read(ground.config.SANDBOX_TOKEN)).status).toBe(401);
    await service.sandbox.run('true');
    await service.sandbox.run('exit 3');
    await service.sandbox.run('kill -9 $$');
    await service.sandbox.run('sleep 30', { timeoutMs: 300 });
    // A workspace is counted once it has been measured, which happens after its command has ended.
    const text = await until(async () => {
      const body = String((await read(METRICS_TOKEN)).body);
      return body.includes('state="warm"') && /aish_sandbox_workspaces(\{[^}]*\})? 1/.test(body) && body;
    }, 'the metrics count warm containers and the workspace');
    for (const outcome of ['ok', 'failed', 'killed', 'timed_out']) {
      expect(text).toMatch(new RegExp(`aish_command_duration_count\\{[^}]*outcome="${outcome}"[^}]*\\} 1`));
    }
    expect(text).toMatch(/aish_sandbox_containers\{[^}]*state="running"[^}]*\} 0/);
    expect(text).toMatch(/aish_sandbox_disk_free_bytes\{[^}]*where="state"[^}]*\} [1-9]/);
  });

  it('log lines and the container have the IDs of the run and the workspace', async () => {
    const request = service.sandbox.request('sleep 1');
    const running = service.sandbox.toEnd(request);
    const { runId, workspaceId } = request;
    const container = await until(async () => {
      const found = await docker.listContainers({ all: true, filters: { name: [runId] } });
      return found[0];
    }, 'its container is there');
    expect(container.Names[0]).toContain(runId);
    expect(container.Labels['dev.aish.workspace']).toBe(workspaceId);
    await running;
    const lines = await until(async () => {
      const of = logged.filter((entry) => entry['runId'] === runId);
      return of.some(({ msg }) => msg === 'run ended') && of;
    }, 'its end is logged');
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['run started', 'run ended']));
    for (const line of lines) expect(line['workspaceId']).toBe(workspaceId);
  });

  it('the service logs its settings at the start, without secrets', () => {
    const settings = logged.find(({ msg }) => msg === 'configuration')?.['settings'];
    expect(settings).toMatchObject({ SANDBOX_TOKEN: '[redacted]', METRICS_TOKEN: '[redacted]', RUNS_AT_ONCE: 8 });
    expect(JSON.stringify(logged)).not.toContain(ground.config.SANDBOX_TOKEN);
  });
});
