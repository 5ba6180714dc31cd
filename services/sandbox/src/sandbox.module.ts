import { join } from 'node:path';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { Logger } from '@aish/http';
import type { Telemetry } from '@aish/telemetry';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DockerEngine } from './engine/docker.engine.js';
import { sshAddress } from './engine/engine-address.js';
import { HelperEngine } from './engine/helper.engine.js';
import type { Hold } from './engine/hold.js';
import { HelperSweeper } from './engine/helper.sweeper.js';
import { ImageBuilder } from './images/image.builder.js';
import { ImageStore } from './images/image.store.js';
import { ImagesController } from './images/images.controller.js';
import { ImageCleaner } from './engine/image.cleaner.js';
import { RunContainers } from './engine/run.containers.js';
import { WarmContainers } from './engine/warm.containers.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { SshBridge } from './hosts/ssh.bridge.js';
import { HostsController } from './hosts/hosts.controller.js';
import { HeldFolders } from './layers/held.folders.js';
import { HostFolders } from './host-folders/host-folders.js';
import { TokenGuard } from './http/token.guard.js';
import { BackupsController } from './backups/backups.controller.js';
import { WorkspaceBackups } from './backups/workspace.backups.js';
import { VolumeConverter } from './layers/volume-converter.js';
import { ChangesController, HoldsController } from './layers/holds.controller.js';
import { Holds } from './layers/holds.js';
import { KeeperLine } from './layers/keeper.line.js';
import { LayerStore } from './layers/layer.store.js';
import { Layers } from './layers/layers.js';
import { Overlays } from './layers/overlays.js';
import { observeSandbox } from './metrics/sandbox.gauges.js';
import { NetworkController } from './network/network.controller.js';
import { NetworkGate } from './network/network.gate.js';
import { PolicyStore } from './network/policy.store.js';
import { ContainerAccess } from './engine/container-access.js';
import { SocketFolders } from './network/socket-folders.js';
import { OutputStore } from './outputs/output.store.js';
import { OutputsController } from './outputs/outputs.controller.js';
import { PreviewController } from './preview/preview.controller.js';
import { StashedPreviews } from './runs/stashed.previews.js';
import { PreviewCopies } from './preview/preview.copies.js';
import { PreviewStore } from './runs/preview.store.js';
import { PreviewService } from './preview/preview.service.js';
import { RemovalController } from './removal/removal.controller.js';
import { WorkspaceRemoval } from './removal/workspace.removal.js';
import { WorkspaceVolumes } from './removal/workspace.volumes.js';
import { Admission } from './runs/admission.js';
import { ContainerRemovals } from './runs/container.removals.js';
import { GrowthWatch } from './runs/growth.watch.js';
import { LiveRuns, type RunIds } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { ExternalAccess } from './runs/external-access.js';
import { PrepareController } from './runs/prepare.controller.js';
import { RunFollower } from './runs/run.follower.js';
import { RunProcess } from './runs/run.process.js';
import { RunRecovery } from './runs/run.recovery.js';
import { RunStarter } from './runs/run.starter.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { Run } from './runs/run.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { ExecutionContextController } from './runs/execution-context.controller.js';
import { ContentReader } from './runs/contents.js';
import { ExecutionContexts } from './runs/execution-contexts.js';
import { WorkspaceUnmounter } from './runs/workspace.unmounter.js';
import { WorkspaceMeter } from './runs/workspace.meter.js';
import { StartupThrottle } from './scheduling/startup.throttle.js';
import { Authority } from './secrets/authority.js';
import { LayerUndo } from './snapshots/layer.undo.js';
import { SnapshotCopies } from './snapshots/snapshot.copies.js';
import { SnapshotStore } from './snapshots/snapshot.store.js';
import { SnapshotsController } from './snapshots/snapshots.controller.js';
import { SnapshotsService } from './snapshots/snapshots.service.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { StdioGateway } from './stdio/stdio.gateway.js';
import { StdioPrograms } from './stdio/stdio.programs.js';
import { WarmMaker } from './warm/warm.maker.js';
import { WarmPool } from './warm/warm.pool.js';
import { HostDisk } from './workspaces/host.disk.js';
import { WorkspaceSpace } from './workspaces/workspace.space.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';
import { WorkspaceUse } from './workspaces/workspace.use.js';

const HOUR_MS = 3_600_000;
const OUTCOMES_KEPT_HOURS = 48;
const MIB = 2 ** 20;

/** Sends the last measurements when the service stops. */
class TelemetryEnd implements OnApplicationShutdown {
  constructor(private readonly telemetry: Telemetry | undefined) {}

  async onApplicationShutdown(): Promise<void> {
    await this.telemetry?.shutdown();
  }
}

/** The sandbox service. This module constructs all classes from the settings and from each other. */
@Module({})
export class SandboxModule {
  static with(config: SandboxConfig, logger: Logger, version: string, telemetry?: Telemetry): DynamicModule {
    const engine = new DockerEngine(config);
    const stateOf = (name: string) => join(config.SANDBOX_STATE_DIR, name);

    // Creates the records, and the execution context of commands.
    const store = new OutcomeStore(config.SANDBOX_STATE_DIR);
    const outputs = new OutputStore(stateOf('outputs'), {
      oneMaxBytes: config.RUN_OUTPUT_WHOLE_MAX_MB * MIB,
      allMaxBytes: config.OUTPUTS_MAX_MB * MIB,
    });
    const workspaces = new WorkspaceStore(stateOf('workspaces'));
    // The same path on this machine says nothing about the disk of another one.
    const engineDisk = () => (sshAddress(config.DOCKER_SOCKET) === null ? engine.known?.rootDir : undefined);
    const disks = () => [config.SANDBOX_STATE_DIR, engineDisk() ?? []].flat();
    const disk = new HostDisk(config, logger, disks);
    const space = new WorkspaceSpace(workspaces, disk, config, logger);
    const use = new WorkspaceUse();
    const hostFolders = new HostFolders(config, logger);
    const policies = new PolicyStore(config.SANDBOX_STATE_DIR);
    const authority = new Authority(join(config.SANDBOX_STATE_DIR, 'authority'));
    const sockets = new SocketFolders(
      config,
      (volume, folder) => engine.hostPathOf(volume, folder),
      () => containerAccess.require('sockets'),
    );
    const gate = new NetworkGate(sockets, policies, authority, logger);
    const bridge = new SshBridge(sockets, logger);
    const builder = new ImageBuilder(engine, config, new ImageStore(stateOf('images')), logger);
    const outside = new ExternalAccess(gate, bridge, hostFolders, { require: (what) => containerAccess.require(what) });

    // Creates the containers and their runs.
    const throttle = new StartupThrottle();
    const hold: Hold = (workspaceId, make) => layers.hold(workspaceId, make);
    const helpers = new HelperEngine(engine, config, {
      hold,
      inTurn: (workspaceId, work) => layers.inTurn(workspaceId, work),
      read: (workspaceId) => layers.read(workspaceId),
    });
    const contents = new ContentReader(helpers, hostFolders);
    const contexts = new ExecutionContexts(outside, space, workspaces, builder, contents, () => layers.isOn);
    const ownMax = { files: config.HOLD_OWN_MAX_FILES, bytes: config.HOLD_OWN_MAX_MB * MIB };
    const line = new KeeperLine(helpers, sockets, config.SANDBOX_INSTANCE, logger);
    const layerStore = new LayerStore(line, ownMax);
    const overlays = new Overlays(layerStore, helpers, engine, config);
    const layers = new Layers(layerStore, overlays, config, logger);
    const containerAccess = new ContainerAccess(sockets, helpers, () => layers.works(), config.DOCKER_SOCKET);
    const containers = new RunContainers(engine, config, hold);
    const admission = new Admission(engine, use, throttle, config);
    const maker = new WarmMaker(new WarmContainers(engine, config, hold), throttle, admission, logger);
    const pool = new WarmPool(maker, space, config);
    const removals = new ContainerRemovals(containers, throttle, logger);
    const heldFolders = new HeldFolders({ hostFolders, helpers, layerStore, layers, engine }, config, logger);
    const unmounter = new WorkspaceUnmounter(pool, removals, containers, store);
    const holds = new Holds(layerStore, layers, heldFolders, { unmounter, store, workspaces, use });
    const starter = new RunStarter(containers, pool, store, contexts, holds, heldFolders);
    const follower = new RunFollower(containers, store, contexts, removals, holds);
    const kept = new StashedPreviews(
      {
        store: new PreviewStore(stateOf('previews')),
        outcomes: store,
        outputs,
        layerStore,
        layers,
        holds,
        contexts,
        workspaces,
        fitOf: (workplace) => maker.fitOf(workplace),
      },
      config,
      logger,
    );
    const growth = new GrowthWatch(space, disk, new WorkspaceMeter(helpers), containers);
    const leaving = new AbortController();
    const newRun = ({ runId, workspaceId }: RunIds) => {
      const log = logger.child({ runId, workspaceId });
      return new Run(runId, workspaceId, {
        limits: { keptMaxBytes: config.RUN_OUTPUT_MAX_BYTES, streamedMaxBytes: config.RUN_STREAM_MAX_BYTES },
        log,
        leaving: leaving.signal,
        keepConnection: (connection) => store.keepConnection(runId, connection),
        whole: outputs.writer(workspaceId, runId, (err) => log.warn({ err }, 'an output is not kept whole')),
      });
    };
    const carrying = new RunProcess(admission, starter, follower, contexts, growth, kept);
    const live = new LiveRuns(newRun, carrying, use, leaving);
    const sweeper = new RunSweeper(engine, new RunRecovery(containers, store, live, pool, kept), logger);

    // Creates the services for files, copies and programs.
    const previews = new PreviewService(
      {
        copies: new PreviewCopies(helpers, workspaces, config),
        kept,
        live,
        outcomes: store,
        use,
        holds,
        layers,
        starter,
        hasNetwork: (workspaceId) => gate.policy(workspaceId).mode !== 'none',
      },
      logger,
    );
    const volumes = new WorkspaceVolumes(engine, layers, use, pool, [
      (workspaceId) => starter.prepared(workspaceId),
      (workspaceId) => removals.settled(workspaceId),
    ]);
    const snapshotStore = new SnapshotStore(stateOf('snapshots'));
    const snapshots = new SnapshotsService(
      new SnapshotCopies(helpers, config),
      snapshotStore,
      workspaces,
      use,
      holds,
      new LayerUndo(layers, volumes, workspaces, heldFolders),
    );
    const programs = new StdioPrograms(engine, config, builder, gate, logger);
    const belongings = { snapshots, store: workspaces, gate, bridge, outputs };
    const removal = new WorkspaceRemoval(volumes, belongings, stateOf('removed-workspaces'));
    const adoption = new VolumeConverter(layers, overlays, volumes, logger);
    const images = new ImageCleaner(engine, config, stateOf('versions/images.json'), logger);
    const leftovers = [
      () => layers.recover(),
      () => containerAccess.test(),
      () => overlays.sweepReadings(),
      () => heldFolders.sweep(),
      () => removal.sweep(),
      () => adoption.sweep(),
      () => previews.sweep(),
      () => snapshots.sweep(),
      () => images.sweep(),
      () => outputs.sweep(),
      () => store.prune(OUTCOMES_KEPT_HOURS * HOUR_MS),
    ];
    const holdings = () => ({
      running: live.running,
      warm: pool.size,
      workspaces: workspaces.totals(),
      hostFolders: [...hostFolders.offers()],
      whyNoLayers: layers.whyOff,
      address: config.DOCKER_SOCKET,
      findings: {
        whyNoLayers: layers.tested,
        accessFaults: containerAccess.known,
        mayCopy: config.SNAPSHOTS_MAX_MB > 0,
      },
    });
    if (telemetry !== undefined) {
      observeSandbox(engine, holdings, config, (err) => logger.warn({ err }, 'could not read a metric'));
    }
    return {
      module: SandboxModule,
      controllers: [
        RunsController,
        PrepareController,
        ExecutionContextController,
        RemovalController,
        NetworkController,
        HostsController,
        ImagesController,
        StatusController,
        FilesController,
        BackupsController,
        PreviewController,
        SnapshotsController,
        HoldsController,
        ChangesController,
        OutputsController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: new TokenGuard(config.SANDBOX_TOKEN) },
        { provide: DockerEngine, useValue: engine },
        { provide: OutcomeStore, useValue: store },
        { provide: OutputStore, useValue: outputs },
        { provide: LiveRuns, useValue: live },
        { provide: RunStarter, useValue: starter },
        { provide: ExecutionContexts, useValue: contexts },
        { provide: RunSweeper, useValue: sweeper },
        { provide: WarmPool, useValue: pool },
        { provide: ContainerRemovals, useValue: removals },
        { provide: WorkspaceStore, useValue: workspaces },
        { provide: HostDisk, useValue: disk },
        { provide: RunsService, useValue: new RunsService(live, store, sweeper, hostFolders) },
        { provide: Layers, useValue: layers },
        { provide: Holds, useValue: holds },
        { provide: StashedPreviews, useValue: kept },
        { provide: HostFolders, useValue: hostFolders },
        { provide: NetworkGate, useValue: gate },
        { provide: SshBridge, useValue: bridge },
        { provide: ImageBuilder, useValue: builder },
        { provide: StatusService, useValue: new StatusService(engine, holdings, version) },
        { provide: HelperSweeper, useValue: new HelperSweeper(helpers, leftovers, logger) },
        { provide: FilesService, useValue: new FilesService(helpers, space, holds, config) },
        { provide: WorkspaceBackups, useValue: new WorkspaceBackups({ helpers, overlays, holds, space }, config) },
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
