import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DockerEngine } from './engine/docker.engine.js';
import { TokenGuard } from './http/token.guard.js';
import { LiveRuns } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';

/** The sandbox service. Every class is made here, by its constructor, from the settings and from one another. */
@Module({})
export class SandboxModule {
  static with(config: SandboxConfig, logger: Logger, version: string): DynamicModule {
    const engine = new DockerEngine(config);
    const store = new OutcomeStore(config.SANDBOX_STATE_DIR);
    const live = new LiveRuns(engine, store, config, logger);
    const sweeper = new RunSweeper(engine, store, live, config, logger);
    const runs = new RunsService(engine, store, live, sweeper);
    const status = new StatusService(engine, live, config.SANDBOX_IMAGE, version);
    return {
      module: SandboxModule,
      controllers: [RunsController, WorkspacesController, StatusController],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(config.SANDBOX_TOKEN) },
        { provide: DockerEngine, useValue: engine },
        { provide: OutcomeStore, useValue: store },
        { provide: LiveRuns, useValue: live },
        { provide: RunSweeper, useValue: sweeper },
        { provide: RunsService, useValue: runs },
        { provide: StatusService, useValue: status },
      ],
    };
  }
}
