import { statfs } from 'node:fs/promises';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { observe } from '@aish/telemetry';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { HeldCounts } from '../status/status.service.js';

/** Registers the gauges of this service, which are read at each scrape. */
export function observeSandbox(
  engine: DockerEngine,
  holdings: () => HeldCounts,
  config: SandboxConfig,
  onError: (error: unknown) => void,
): void {
  observe(
    'aish.sandbox.containers',
    'Containers that run a command, and those that wait for one',
    () => [
      { value: holdings().running, labels: { state: 'running' } },
      { value: holdings().warm, labels: { state: 'warm' } },
    ],
    onError,
  );
  observe('aish.sandbox.workspaces', 'Workspaces', () => [{ value: holdings().workspaces.count }], onError);
  observe(
    'aish.sandbox.workspaces.bytes',
    'What lies in them, as last measured: after each command',
    () => [{ value: holdings().workspaces.sizeBytes }],
    onError,
  );
  observe(
    'aish.sandbox.disk.free.bytes',
    'Free space where this service and the engine keep what they have',
    async () => {
      const folders = { state: config.SANDBOX_STATE_DIR, engine: engine.known?.rootDir };
      const free = await Promise.all(
        Object.entries(folders).map(async ([where, folder]) => {
          // If this service runs in a container, it does not see the engine's folder.
          const space = folder === undefined ? null : await statfs(folder).catch(() => null);
          return space === null ? [] : [{ value: space.bavail * space.bsize, labels: { where } }];
        }),
      );
      return free.flat();
    },
    onError,
  );
}
