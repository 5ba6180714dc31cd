import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { VERSION, type Health } from '@aish/contracts/health';
import type { Database } from '@aish/database/client';
import { probe } from '@aish/http';
import type { QueueStore } from '@aish/queue';
import type { Sandbox } from '@aish/sandbox-client';

/**
 * Health needs no token, so its answer is cached for this time. Otherwise anybody could make the api do a lot of work.
 */
const KEPT_MS = 1_000;
const SANDBOX_TIMEOUT_MS = 2_500;

@Injectable()
export class HealthService {
  private kept: { readonly at: number; readonly health: Promise<Health> } | null = null;

  constructor(
    @Part('db') private readonly db: Database,
    @Part('queue') private readonly queue: QueueStore,
    @Part('sandbox') private readonly sandbox: Sandbox,
  ) {}

  check(): Promise<Health> {
    const now = Date.now();
    if (this.kept === null || now - this.kept.at > KEPT_MS) this.kept = { at: now, health: this.look() };
    return this.kept.health;
  }

  private async look(): Promise<Health> {
    const [database, queue, sandbox] = await Promise.all([
      probe(async () => {
        await this.db.pool.query('select 1');
        return null;
      }),
      probe(async () => {
        await this.queue.counts();
        return null;
      }),
      probe(async () => {
        const status = await this.sandbox.describe(AbortSignal.timeout(SANDBOX_TIMEOUT_MS));
        return status.ready ? null : (status.detail ?? 'not ready');
      }),
    ]);
    const checks = { database, queue, sandbox };
    const status = !database.ok ? 'down' : Object.values(checks).every((check) => check.ok) ? 'ok' : 'degraded';
    return { status, version: VERSION, checks };
  }
}
