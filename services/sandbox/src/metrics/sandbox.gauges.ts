import { statfs } from 'node:fs/promises';
import type { SandboxConfig } from '@aish/contracts';
import { observe } from '@aish/telemetry';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { LiveRuns } from '../runs/live-runs.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';

/** What this service holds right now, read whenever somebody looks. */
export function observeSandbox(
  parts: {
    readonly engine: DockerEngine;
    readonly live: LiveRuns;
    readonly pool: WarmPool;
    readonly workspaces: WorkspaceStore;
  },
  config: SandboxConfig,
  onError: (error: unknown) => void,
): void {
  const { engine, live, pool, workspaces } = parts;
  observe(
    'aish.sandbox.containers',
    'Containers that run a command, and those that wait for one',
    () => [
      { value: live.running, labels: { state: 'running' } },
      { value: pool.size, labels: { state: 'warm' } },
    ],
    onError,
  );
  observe('aish.sandbox.workspaces', 'Workspaces', () => [{ value: workspaces.totals().count }], onError);
  observe(
    'aish.sandbox.workspaces.bytes',
    'What lies in them, as last measured: after each command',
    () => [{ value: workspaces.totals().sizeBytes }],
    onError,
  );
  observe(
    'aish.sandbox.disk.free.bytes',
    'Free space where this service and the engine keep what they have',
    async () => {
      const folders = { state: config.SANDBOX_STATE_DIR, engine: engine.known?.rootDir };
      const free = await Promise.all(
        Object.entries(folders).map(async ([where, folder]) => {
          // In a container of its own this service does not see the engine's folder.
          const space = folder === undefined ? null : await statfs(folder).catch(() => null);
          return space === null ? [] : [{ value: space.bavail * space.bsize, labels: { where } }];
        }),
      );
      return free.flat();
    },
    onError,
  );
}
