import { Module, type BeforeApplicationShutdown, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { advanceGoal } from '@aish/contracts/jobs';
import type { Database } from '@aish/database/client';
import type { SharedLocks } from '@aish/database/shared-locks';
import type { Mcp } from '@aish/mcp';
import type { EventBus, QueueStore, QueueWorker } from '@aish/queue';
import type { Telemetry } from '@aish/telemetry';
import { AdvanceHandler } from './advance.handler.js';
import { HealthController, WorkerHealth } from './health.controller.js';
import type { CapabilityProbe } from './capability-probe.js';
import type { Retention } from './retention.js';
import type { Sweeper } from './sweeper.js';

export interface WorkerParts {
  readonly db: Database;
  readonly locks: SharedLocks;
  readonly queue: QueueStore;
  readonly bus: EventBus;
  readonly handler: AdvanceHandler;
  readonly sweeper: Sweeper;
  readonly retention: Retention;
  readonly probe: CapabilityProbe;
  readonly workers: readonly QueueWorker[];
  readonly telemetry: Telemetry;
  readonly mcp: Mcp;
  readonly graceMs: number;
}

/** On SIGTERM, takes no more work, stops current work between two steps, then closes everything. */
class Lifecycle implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly parts: WorkerParts) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.parts.sweeper.stop();
    await this.parts.retention.stop();
    await this.parts.probe.stop();
    await Promise.all(this.parts.workers.map((worker) => worker.close(this.parts.graceMs)));
    await this.parts.handler.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.mcp.close();
    await this.parts.bus.close();
    await this.parts.queue.close();
    await this.parts.locks.close();
    await this.parts.db.close();
    await this.parts.telemetry.shutdown();
  }
}

@Module({})
export class NorrisWorkerModule {
  static register(parts: WorkerParts): DynamicModule {
    return {
      module: NorrisWorkerModule,
      controllers: [HealthController],
      providers: [
        { provide: WorkerHealth, useValue: new WorkerHealth(parts.db, parts.queue) },
        { provide: Lifecycle, useValue: new Lifecycle(parts) },
      ],
    };
  }
}

/** Starts taking jobs. */
export function work(queue: QueueStore, handler: AdvanceHandler, concurrency: number): QueueWorker {
  return queue.work(advanceGoal, (payload, signal) => handler.handle(payload, signal), { concurrency });
}
