import type { RunContainers } from '../engine/run.containers.js';
import type { FreeSpace, HostDisk } from '../workspaces/host.disk.js';
import type { WorkspaceSpace } from '../workspaces/workspace.space.js';
import type { Run } from './run.js';
import type { WorkspaceMeter } from './workspace.meter.js';

/**
 * The interval of the measurements. Within one interval a command can exceed its limit by as much as the disk can
 * write.
 */
const LOOK_EVERY_MS = 40;
/** Other programs write too, so a smaller loss of free space does not cause a pause. */
const STEP_BYTES = 8 * 2 ** 20;
const STEP_FILES = 1_000;

interface Watched {
  readonly runs: Set<Run>;
  /** The free space of the host at the last measurement, or the largest value since then. */
  free: FreeSpace | null;
  isLooking: boolean;
}

/**
 * Enforces the size limit of a workspace while commands run. Volumes have no quota, and measuring one takes a while,
 * but the free space of the host is known at once. When that space has shrunk by as much as the workspace had left, the
 * commands are paused and the workspace is measured. Then the commands are stopped, or they continue.
 */
export class GrowthWatch {
  private readonly watched = new Map<string, Watched>();
  private isRunning = false;

  constructor(
    private readonly space: WorkspaceSpace,
    private readonly disk: HostDisk,
    private readonly meter: WorkspaceMeter,
    private readonly containers: RunContainers,
  ) {}

  /** Watches what a run writes, until the returned function is called. */
  watch(run: Run): () => void {
    const { workspaceId } = run;
    const watched = this.watched.get(workspaceId) ?? { runs: new Set(), free: null, isLooking: false };
    this.watched.set(workspaceId, watched);
    watched.runs.add(run);
    if (this.space.isClosed(workspaceId)) void this.look(workspaceId, watched);
    if (!this.isRunning) void this.keepLooking();
    return () => {
      watched.runs.delete(run);
      if (watched.runs.size === 0 && this.watched.get(workspaceId) === watched) this.watched.delete(workspaceId);
    };
  }

  private async keepLooking(): Promise<void> {
    this.isRunning = true;
    while (this.watched.size > 0) {
      const free = await this.disk.free();
      // If this service cannot see the engine's disk, workspaces are only measured after each command.
      if (free !== null) for (const [id, watched] of this.watched) this.compare(id, watched, free);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    this.isRunning = false;
  }

  private compare(workspaceId: string, watched: Watched, free: FreeSpace): void {
    const before = watched.free ?? free;
    watched.free = { bytes: Math.max(before.bytes, free.bytes), files: Math.max(before.files, free.files) };
    if (watched.isLooking) return;
    const room = this.space.room(workspaceId);
    const isPast =
      before.bytes - free.bytes > Math.max(room.bytes, STEP_BYTES) ||
      before.files - free.files > Math.max(room.files, STEP_FILES);
    if (isPast) void this.look(workspaceId, watched);
  }

  /**
   * Pauses the commands, measures the workspace, and stops or resumes them. If a command starts during the measurement,
   * the next look pauses it.
   */
  private async look(workspaceId: string, watched: Watched): Promise<void> {
    watched.isLooking = true;
    const runs = [...watched.runs];
    const [{ log } = { log: null }] = runs;
    try {
      await Promise.all(runs.map(({ runId }) => this.containers.pause(runId)));
      const before = this.space.room(workspaceId);
      const free = await this.disk.free();
      this.space.measured(workspaceId, await this.meter.measure(workspaceId));
      const after = this.space.room(workspaceId);
      // A command in a workspace that already exceeds its limit may continue as long as the workspace does not grow.
      const hasGrown = after.bytes < before.bytes || after.files < before.files;
      const tooMuch = this.space.tooMuch(workspaceId);
      if (tooMuch !== null && (hasGrown || before.bytes === 0 || before.files === 0)) {
        for (const run of runs) run.stop('disk', `the workspace holds ${tooMuch}: killed`);
      }
      watched.free = free;
    } catch (error) {
      log?.warn({ err: error }, 'a workspace could not be measured while a command ran in it');
      watched.free = null;
    } finally {
      await Promise.allSettled(runs.map(({ runId }) => this.containers.resume(runId)));
      watched.isLooking = false;
    }
  }
}
