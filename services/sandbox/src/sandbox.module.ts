import { join } from 'node:path';
import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DockerEngine } from './engine/docker.engine.js';
import { WarmEngine } from './engine/warm.engine.js';
import { TokenGuard } from './http/token.guard.js';
import { Calm } from './runs/calm.js';
import { LiveRuns } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { Removals } from './runs/removals.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { WarmPool } from './warm/warm.pool.js';
import { WorkspaceSpace } from './workspaces/workspace.space.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';

/** The sandbox service. Every class is made here, by its constructor, from the settings and from one another. */
@Module({})
export class SandboxModule {
  static with(config: SandboxConfig, logger: Logger, version: string): DynamicModule {
    const engine = new DockerEngine(config);
    const store = new OutcomeStore(config.SANDBOX_STATE_DIR);
    const containers = new WarmEngine(engine, config);
    const workspaces = new WorkspaceStore(join(config.SANDBOX_STATE_DIR, 'workspaces'));
    const disks = () => [config.SANDBOX_STATE_DIR, ...(engine.known === null ? [] : [engine.known.rootDir])];
    const space: WorkspaceSpace = new WorkspaceSpace(workspaces, config, logger, disks, () => live.stopWriters());
    const calm = new Calm();
    const pool = new WarmPool(engine, containers, space, calm, config, logger);
    const removals = new Removals(engine, calm, logger);
    const live = new LiveRuns(engine, containers, pool, store, workspaces, space, removals, calm, config, logger);
    const sweeper = new RunSweeper(engine, store, live, containers, pool, workspaces, config, logger);
    const runs = new RunsService(engine, store, live, sweeper, pool);
    const status = new StatusService(engine, live, pool, workspaces, version);
    return {
      module: SandboxModule,
      controllers: [RunsController, WorkspacesController, StatusController],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(config.SANDBOX_TOKEN) },
        { provide: DockerEngine, useValue: engine },
        { provide: OutcomeStore, useValue: store },
        { provide: LiveRuns, useValue: live },
        { provide: RunSweeper, useValue: sweeper },
        { provide: WarmPool, useValue: pool },
        { provide: Removals, useValue: removals },
        { provide: WorkspaceStore, useValue: workspaces },
        { provide: WorkspaceSpace, useValue: space },
        { provide: RunsService, useValue: runs },
        { provide: StatusService, useValue: status },
      ],
    };
  }
}
