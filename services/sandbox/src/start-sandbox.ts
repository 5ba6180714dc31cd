import type { SandboxConfig } from '@aish/contracts';
import { startService, type Logger, type RunningService } from '@aish/http';
import { OutcomeStore } from './runs/outcome.store.js';
import { RunSweeper } from './runs/run.sweeper.js';
import { SandboxModule } from './sandbox.module.js';
import { WorkspaceSpace } from './workspaces/workspace.space.js';
import { WorkspaceStore } from './workspaces/workspace.store.js';

/** Starts the service on what its settings say, and takes over the runs of before. */
export async function startSandbox(
  config: SandboxConfig,
  logger: Logger,
  options: { readonly version: string; readonly handleSignals: boolean },
): Promise<RunningService> {
  const service = await startService(SandboxModule.with(config, logger, options.version), {
    host: config.HOST,
    port: config.PORT,
    logger,
    handleSignals: options.handleSignals,
    configure: async (app) => {
      await app.get(OutcomeStore).open();
      app.get(WorkspaceStore).open();
    },
  });
  // Only now that the port is ours: a second start on the same port touches nothing of the first one's.
  service.app.get(RunSweeper).start();
  await service.app.get(WorkspaceSpace).start();
  return service;
}
