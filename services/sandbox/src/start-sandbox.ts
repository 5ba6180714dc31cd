import type { SandboxConfig } from '@aish/contracts';
import { acceptRawBodies, bearerMatches, startService, type Logger, type RunningService } from '@aish/http';
import type { Telemetry } from '@aish/telemetry';
import { DockerEngine } from './engine/docker.engine.js';
import { HelperSweeper } from './engine/helper.sweeper.js';
import { HostFolders } from './host-folders/host-folders.js';
import { observeSandbox } from './metrics/sandbox.gauges.js';
import { LiveRuns } from './runs/live-runs.js';
import { OutcomeStore } from './runs/outcome.store.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { SandboxModule } from './sandbox.module.js';
import { StdioGateway } from './stdio/stdio.gateway.js';
import { StdioPrograms } from './stdio/stdio.programs.js';
import { WarmPool } from './warm/warm.pool.js';
import { WorkspaceSpace } from './workspaces/workspace.space.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';

/** Starts the service on what its settings say, and takes over the runs of before. */
export async function startSandbox(
  config: SandboxConfig,
  logger: Logger,
  options: {
    readonly version: string;
    readonly handleSignals: boolean;
    /** With it, and a METRICS_TOKEN, there is `GET /metrics`; it is shut down with the service. */
    readonly telemetry?: Telemetry;
  },
): Promise<RunningService> {
  const { telemetry, version } = options;
  const { METRICS_TOKEN: token } = config;
  const service = await startService(SandboxModule.with(config, logger, version, telemetry), {
    host: config.HOST,
    port: config.PORT,
    logger,
    handleSignals: options.handleSignals,
    ...(telemetry === undefined || token === undefined
      ? {}
      : {
          metrics: {
            prometheus: () => telemetry.prometheus(),
            mayRead: (authorization) => bearerMatches(authorization, token),
          },
        }),
    configure: async (app) => {
      await app.get(HostFolders).verify();
      await app.get(OutcomeStore).open();
      app.get(WorkspaceStore).open();
      acceptRawBodies(app);
      if (telemetry !== undefined) {
        const parts = {
          engine: app.get(DockerEngine),
          live: app.get(LiveRuns),
          pool: app.get(WarmPool),
          workspaces: app.get(WorkspaceStore),
        };
        observeSandbox(parts, config, (err) => logger.warn({ err }, 'could not read a metric'));
      }
      app.get(StdioGateway).attach(app.getHttpServer());
    },
  });
  // Only now that the port is ours: a second start on the same port touches nothing of the first one's.
  const sweeper = service.app.get(RunSweeper);
  sweeper.start();
  // What is left of before goes in this order: containers, then what they had mounted.
  void sweeper.recovered().then(() => service.app.get(HelperSweeper).start());
  service.app
    .get(StdioPrograms)
    .removeLeftovers()
    .catch((err: unknown) => logger.warn({ err }, 'could not look for programs of before'));
  await service.app.get(WorkspaceSpace).start();
  return service;
}
