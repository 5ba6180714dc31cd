import { join } from 'node:path';
import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { Telemetry } from '@aish/telemetry';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DockerEngine } from './engine/docker.engine.js';
import { HelperEngine } from './engine/helper.engine.js';
import { HelperSweeper } from './engine/helper.sweeper.js';
import { ImageKeeper } from './engine/image.keeper.js';
import { WarmEngine } from './engine/warm.engine.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { HostFolders } from './host-folders/host-folders.js';
import { TokenGuard } from './http/token.guard.js';
import { NetworkController } from './network/network.controller.js';
import { NetworkGate } from './network/network.gate.js';
import { PolicyStore } from './network/policy.store.js';
import { PreviewController } from './preview/preview.controller.js';
import { PreviewService } from './preview/preview.service.js';
import { Calm } from './runs/calm.js';
import { LiveRuns } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { Removals } from './runs/removals.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { Surroundings } from './runs/surroundings.js';
import { SnapshotStore } from './snapshots/snapshot.store.js';
import { SnapshotsController } from './snapshots/snapshots.controller.js';
import { SnapshotsService } from './snapshots/snapshots.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { StdioGateway } from './stdio/stdio.gateway.js';
import { StdioPrograms } from './stdio/stdio.programs.js';
import { WarmPool } from './warm/warm.pool.js';
import { WorkspaceHolds } from './workspaces/workspace.holds.js';
import { WorkspaceRemoval } from './workspaces/workspace.removal.js';
import { WorkspaceSpace } from './workspaces/workspace.space.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';

/** Sends the last of what was measured. */
class TelemetryEnd implements OnApplicationShutdown {
  constructor(private readonly telemetry: Telemetry | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await this.telemetry?.shutdown();
  }
}

/** The sandbox service. Every class is made here, by its constructor, from the settings and from one another. */
@Module({})
export class SandboxModule {
  static with(config: SandboxConfig, logger: Logger, version: string, telemetry?: Telemetry): DynamicModule {
    const engine = new DockerEngine(config);
    const store = new OutcomeStore(config.SANDBOX_STATE_DIR);
    const hostFolders = new HostFolders(config, logger);
    const policies = new PolicyStore(config.SANDBOX_STATE_DIR);
    const gate = new NetworkGate(config, policies, (volume) => engine.mountpointOf(volume), logger);
    const around = new Surroundings(gate, hostFolders);
    const containers = new WarmEngine(engine, config);
    const workspaces = new WorkspaceStore(join(config.SANDBOX_STATE_DIR, 'workspaces'));
    const disks = () => [config.SANDBOX_STATE_DIR, ...(engine.known === null ? [] : [engine.known.rootDir])];
    const space: WorkspaceSpace = new WorkspaceSpace(workspaces, config, logger, disks, () => live.stopWriters());
    const holds = new WorkspaceHolds();
    const calm = new Calm();
    const pool = new WarmPool(engine, containers, space, calm, config, logger);
    const removals = new Removals(engine, calm, logger);
    const live = new LiveRuns(
      engine,
      containers,
      pool,
      store,
      workspaces,
      space,
      around,
      holds,
      removals,
      calm,
      config,
      logger,
    );
    const sweeper = new RunSweeper(engine, store, live, containers, pool, workspaces, config, logger);
    const runs = new RunsService(engine, store, live, sweeper, pool, hostFolders);
    const status = new StatusService(engine, live, pool, workspaces, hostFolders, version);
    const helpers = new HelperEngine(engine, config);
    const files = new FilesService(helpers, space, config);
    const previews = new PreviewService(helpers, workspaces, config);
    const snapshotStore = new SnapshotStore(join(config.SANDBOX_STATE_DIR, 'snapshots'));
    const snapshots = new SnapshotsService(helpers, snapshotStore, workspaces, holds, (id) => live.uses(id), config);
    const programs = new StdioPrograms(engine, config, logger);
    const stateOf = (name: string) => join(config.SANDBOX_STATE_DIR, name);
    const removal = new WorkspaceRemoval(
      engine,
      live,
      pool,
      removals,
      workspaces,
      gate,
      snapshots,
      stateOf('removed-workspaces'),
    );
    const images = new ImageKeeper(engine, config, stateOf('versions/images.json'), logger);
    const leftovers = [() => removal.sweep(), () => previews.sweep(), () => snapshots.sweep(), () => images.sweep()];
    return {
      module: SandboxModule,
      controllers: [
        RunsController,
        WorkspacesController,
        NetworkController,
        StatusController,
        FilesController,
        PreviewController,
        SnapshotsController,
      ],
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
        { provide: HostFolders, useValue: hostFolders },
        { provide: NetworkGate, useValue: gate },
        { provide: StatusService, useValue: status },
        { provide: HelperEngine, useValue: helpers },
        { provide: HelperSweeper, useValue: new HelperSweeper(helpers, leftovers, logger) },
        { provide: FilesService, useValue: files },
        { provide: SnapshotsService, useValue: snapshots },
        { provide: StdioPrograms, useValue: programs },
        { provide: StdioGateway, useValue: new StdioGateway(programs, config.SANDBOX_TOKEN, logger) },
        { provide: PreviewService, useValue: previews },
        { provide: WorkspaceRemoval, useValue: removal },
        { provide: TelemetryEnd, useValue: new TelemetryEnd(telemetry) },
      ],
    };
  }
}
