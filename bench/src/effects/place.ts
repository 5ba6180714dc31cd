import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RunOutcome } from '@aish/contracts/actions';
import { RunFrame, type RunRequest } from '@aish/contracts/runs';
import { ServiceProcess, freePort } from '@aish/tests/support/service.process';
import Docker from 'dockerode';
import { IMAGE } from '../sandbox.bench.js';
import { percentile } from '../statistics.js';

const docker = new Docker();

/** Runs a separate sandbox service, with or without layers. */
export class Place {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    readonly instance: string,
    private readonly dir: string,
    private readonly service: ServiceProcess,
  ) {}

  static async start(layers: 'on' | 'off'): Promise<Place> {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-'));
    const [instance, token] = [`bench-${randomUUID().slice(0, 8)}`, randomUUID()];
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = {
      PORT: new URL(url).port,
      SANDBOX_TOKEN: token,
      SANDBOX_STATE_DIR: dir,
      SANDBOX_INSTANCE: instance,
      SANDBOX_IMAGE: IMAGE,
      SANDBOX_LAYERS: layers,
      LOG_LEVEL: 'warn',
    };
    const service = new ServiceProcess('sandbox', 'services/sandbox/dist/bundle/main.js', env, `${url}/v1/health`);
    await service.start();
    return new Place(url, token, instance, dir, service);
  }

  /** Returns the output of a command, which must succeed. */
  async run(workspaceId: string, command: string, runId = randomUUID()): Promise<string> {
    // As an approved command, it has its own layer, which can be undone.
    const hold = { mode: 'note', origin: runId } as const;
    const outcome = await this.outcomeOf(workspaceId, command, { runId, hold, timeoutMs: 300_000 });
    if (outcome.exitCode === null) throw new Error(`effects: ${command}: ${JSON.stringify(outcome).slice(-500)}`);
    return outcome.output;
  }

  /** Returns how a command ended, and its effects. */
  async outcomeOf(
    workspaceId: string,
    command: string,
    more: Pick<RunRequest, 'runId' | 'timeoutMs' | 'hold'>,
  ): Promise<RunOutcome> {
    const text = await this.ask('POST', '/v1/runs', { workspaceId, command, carryOver: false, ...more });
    const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => RunFrame.parse(JSON.parse(data ?? '')));
    const last = frames.at(-1);
    if (last?.type !== 'exit') throw new Error(`effects: ${command}: ${text.slice(-500)}`);
    return last.outcome;
  }

  /** Returns the median of the times that a command reports about itself. */
  async inside(workspaceId: string, command: string): Promise<number> {
    const output = await this.run(workspaceId, command);
    return percentile(
      [...output.matchAll(/^took (\d+)$/gm)].map(([, us]) => Number(us) / 1_000),
      0.5,
    );
  }

  async prepare(workspaceId: string): Promise<void> {
    await this.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
  }

  async ask(method: string, path: string, body?: unknown): Promise<string> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(this.url + path, {
      method,
      signal: AbortSignal.timeout(320_000),
      headers: { authorization: `Bearer ${this.token}`, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`effects: ${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  /** Returns the size of all layers. */
  async diskMb(): Promise<number> {
    const du = [
      'run',
      '--rm',
      '--network',
      'none',
      '--user',
      '0',
      '-v',
      `aish-layers-${this.instance}:/layers:ro`,
      IMAGE,
      'du',
      '-sm',
      '/layers',
    ];
    return Number.parseInt((await promisify(execFile)('docker', du)).stdout, 10);
  }

  async end(): Promise<void> {
    await this.service.kill('SIGTERM');
    const filters = { label: [`dev.aish.instance=${this.instance}`] };
    // The things that the service was removing when it ended are gone a moment later.
    for (let tries = 0; tries < 50; tries += 1) {
      const left = await docker.listContainers({ all: true, filters });
      await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true })));
      const { Volumes } = await docker.listVolumes({ filters });
      await Promise.allSettled(Volumes.map(({ Name }) => docker.getVolume(Name).remove()));
      if (left.length + Volumes.length === 0) break;
      await pause(200);
    }
    await rm(this.dir, { recursive: true, force: true });
  }
}
