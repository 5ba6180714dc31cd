import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { acceptRawBodies, metricsFor, startService, type Logger, type RunningService } from '@aish/http';
import type { Telemetry } from '@aish/telemetry';
import { HelperSweeper } from './engine/helper.sweeper.js';
import { HostFolders } from './host-folders/host-folders.js';
import { LiveRuns } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { SandboxModule } from './sandbox.module.js';
import { StdioGateway } from './stdio/stdio.gateway.js';
import { StdioPrograms } from './stdio/stdio.programs.js';
import { HostDisk } from './workspaces/host.disk.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';

/** Starts the service with its settings, and takes over earlier runs. */
export async function startSandbox(
  config: SandboxConfig,
  logger: Logger,
  options: {
    readonly version: string;
    readonly handleSignals: boolean;
    /** Enables `GET /metrics`, if METRICS_TOKEN is set too. The telemetry is shut down with the service. */
    readonly telemetry?: Telemetry;
  },
): Promise<RunningService> {
  const { telemetry, version } = options;
  const service = await startService(SandboxModule.with(config, logger, version, telemetry), {
    host: config.HOST,
    port: config.PORT,
    logger,
    handleSignals: options.handleSignals,
    metrics: telemetry === undefined ? undefined : metricsFor(telemetry, config),
    configure: async (app) => {
      await app.get(HostFolders).verify();
      await app.get(OutcomeStore).open();
      app.get(WorkspaceStore).open();
      acceptRawBodies(app);
      app.get(StdioGateway).attach(app.getHttpServer());
    },
  });
  // The sweeper starts only after the port is taken, so that a second start on the same port does not affect the first.
  const sweeper = service.app.get(RunSweeper);
  sweeper.start();
  // Leftovers are removed in this order: containers, then their mounts.
  void sweeper.recovered().then(() => service.app.get(HelperSweeper).start());
  service.app
    .get(StdioPrograms)
    .removeLeftovers()
    .catch((err: unknown) => logger.warn({ err }, 'could not look for programs of before'));
  const live = service.app.get(LiveRuns);
  await service.app.get(HostDisk).start(() => live.stopWriters());
  return service;
}
