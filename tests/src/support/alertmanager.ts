import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './service.process.js';

/** Runs a real Alertmanager that sends its alerts to one webhook. */
export class Alertmanager {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly dir: string,
  ) {}

  static async start(webhook: string, token: string): Promise<Alertmanager> {
    const dir = await mkdtemp(join(tmpdir(), 'aish-alertmanager-'));
    const port = await freePort();
    const config = join(dir, 'alertmanager.yml');
    await writeFile(
      config,
      `route: { receiver: aish, group_by: [alertname], group_wait: 100ms, group_interval: 1s }
receivers:
  - name: aish
    webhook_configs:
      - url: ${webhook}
        http_config: { authorization: { credentials: ${token} } }
`,
    );
    const options = ['--config.file', config, '--storage.path', dir, '--cluster.listen-address='];
    const child = spawn('prometheus-alertmanager', [...options, '--web.listen-address', `127.0.0.1:${port}`], {
      stdio: 'ignore',
    });
    const manager = new Alertmanager(child, `http://127.0.0.1:${port}`, dir);
    await eventually('Alertmanager is ready', async () => (await fetch(`${manager.url}/-/ready`)).ok);
    return manager;
  }

  alert(labels: Readonly<Record<string, string>>): Promise<void> {
    return this.post({ labels });
  }

  resolve(labels: Readonly<Record<string, string>>): Promise<void> {
    return this.post({ labels, endsAt: new Date().toISOString() });
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.dir, { recursive: true, force: true });
  }

  private async post(alert: object): Promise<void> {
    const answer = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert]),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`Alertmanager: ${answer.status} ${await answer.text()}`);
  }
}
