import { Controller, Get, Res } from '@nestjs/common';
import { VERSION, type Health } from '@aish/contracts/health';
import type { Database } from '@aish/database/client';
import { probe } from '@aish/http';
import type { QueueStore } from '@aish/queue';
import type { FastifyReply } from 'fastify';

/** Reports whether this worker can reach its dependencies. */
export class WorkerHealth {
  constructor(
    private readonly db: Database,
    private readonly queue: QueueStore,
  ) {}

  async check(): Promise<Health> {
    const [database, queue] = await Promise.all([
      probe(async () => {
        await this.db.pool.query('select 1');
        return null;
      }),
      probe(async () => {
        await this.queue.counts();
        return null;
      }),
    ]);
    const status = database.ok && queue.ok ? 'ok' : 'down';
    return { status, version: VERSION, checks: { database, queue } };
  }
}

@Controller('v1/health')
export class HealthController {
  constructor(private readonly health: WorkerHealth) {}

  @Get()
  async check(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const health = await this.health.check();
    void reply.status(health.status === 'down' ? 503 : 200);
    return health;
  }
}
