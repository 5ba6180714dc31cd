import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RunOutcome } from '@aish/contracts/actions';
import { CountedConnection } from '@aish/contracts/network';
import { z } from 'zod';
import { writeDurably } from '../storage/durable-file.js';

/**
 * The record of a run on disk. `starting` means that the run's container may exist, and that only the engine knows its
 * state. `ended` and `lost` are final: such a run never runs again.
 */
const RunRecord = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('starting'),
    /** The time when the run began. It is stored here because the labels of a waiting container cannot change. */
    startedAt: z.iso.datetime().optional(),
    deadline: z.iso.datetime().optional(),
    /** The waiting container that the run takes over by renaming it. Before the rename, nothing has begun. */
    waiting: z.string().optional(),
    /** Whether the run's command has exposed secrets. A service that does not know them must not report its output. */
    hasSecrets: z.boolean().optional(),
    /**
     * Whether the run is a preview. Its changes never count by themselves, and after a crash it counts as not begun.
     */
    isPreview: z.boolean().optional(),
    /** The workspace in which the run adopts the changes of its preview. Such a run has no container. */
    adopts: z.uuid().optional(),
  }),
  z.object({
    state: z.literal('ended'),
    outcome: RunOutcome,
    connections: z.array(CountedConnection).optional(),
  }),
  z.object({ state: z.literal('lost'), connections: z.array(CountedConnection).optional() }),
]);
export type RunRecord = z.infer<typeof RunRecord>;

const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/**
 * Stores one JSON file for each run in one folder. A file is complete or absent, never half-written. During the run, a
 * second file lists its connections, one per line.
 */
export class OutcomeStore {
  constructor(private readonly folder: string) {}

  /**
   * Creates the folder, and deletes half-written files that a crash left behind. Must be called once, before anything
   * else.
   */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.folder)) {
      if (name.endsWith('.tmp')) await rm(join(this.folder, name), { force: true });
    }
  }

  /**
   * Returns the record of a run, or null. The call is synchronous, so that nothing happens between a caller's check and
   * its reservation. Looking up an unknown ID takes microseconds. A file that cannot be parsed counts as `lost`,
   * because it shows that the run existed.
   */
  find(runId: string): RunRecord | null {
    let text: string;
    try {
      text = readFileSync(this.path(runId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return RunRecord.parse(JSON.parse(text));
    } catch {
      return { state: 'lost' };
    }
  }

  /** Stores a record. It is durable once the promise resolves. */
  async write(runId: string, record: RunRecord): Promise<void> {
    await writeDurably(this.path(runId), JSON.stringify(record));
    // The record now contains the connections.
    if (record.state !== 'starting') await rm(this.connectionsPath(runId), { force: true });
  }

  /** Forgets a run that has not begun. */
  async forget(runId: string): Promise<void> {
    await rm(this.path(runId), { force: true });
    await rm(this.connectionsPath(runId), { force: true });
  }

  /** Stores a connection of an unfinished run at once, because this process may be killed at any moment. */
  keepConnection(runId: string, connection: CountedConnection): void {
    appendFileSync(this.connectionsPath(runId), `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  }

  /** Returns the stored connections of a run, without a line that a crash cut short. */
  connectionsOf(runId: string): CountedConnection[] {
    let text: string;
    try {
      text = readFileSync(this.connectionsPath(runId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => CountedConnection.parse(JSON.parse(line)));
  }

  /** Returns the runs that have a `starting` record. */
  async unfinished(): Promise<readonly string[]> {
    return (await this.runIds()).filter((runId) => this.find(runId)?.state === 'starting');
  }

  /** Removes final records older than `maxAgeMs`. Returns the number of removed records. */
  async prune(maxAgeMs: number): Promise<number> {
    let removed = 0;
    for (const runId of await this.runIds()) {
      const { mtimeMs } = await stat(this.path(runId));
      if (Date.now() - mtimeMs <= maxAgeMs || this.find(runId)?.state === 'starting') continue;
      await this.forget(runId);
      removed++;
    }
    return removed;
  }

  private async runIds(): Promise<readonly string[]> {
    return (await readdir(this.folder)).flatMap((name) => RECORD_NAME.exec(name)?.[1] ?? []);
  }

  private connectionsPath(runId: string): string {
    return join(this.folder, `${runId}.connections`);
  }

  private path(runId: string): string {
    return join(this.folder, `${runId}.json`);
  }
}
