import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RunOutcome } from '@aish/contracts/actions';
import { CountedConnection } from '@aish/contracts/network';
import { z } from 'zod';
import { writeDurably } from '../storage/durable-file.js';

/**
 * What is on disk about a run. `starting`: its container may exist, the engine knows more. `ended` and `lost` are
 * final: such a run is never carried out again.
 */
const RunRecord = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('starting'),
    /** When it was begun, and when it is to be killed: a container that waited for it cannot say so. */
    startedAt: z.iso.datetime().optional(),
    deadline: z.iso.datetime().optional(),
    /** The container that waits and is to become its own by taking its name; as long as it has not, nothing began. */
    waiting: z.string().optional(),
    /** Whether its command has secrets in clear: what it prints is told by nobody who does not know them. */
    hasSecrets: z.boolean().optional(),
    /** What it does never counts by itself: after a crash it is as if it had not begun. */
    isPreview: z.boolean().optional(),
    /** The workspace where it is to keep what its preview did: it has no container. */
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
 * One JSON file per run in one folder. A file is whole or absent, never half-written. Beside it, while the run lasts, a
 * file of what it connected to, a line each.
 */
export class OutcomeStore {
  constructor(private readonly folder: string) {}

  /** Makes the folder and drops what a crash left half-written. Call it once, before anything else. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.folder)) {
      if (name.endsWith('.tmp')) await rm(join(this.folder, name), { force: true });
    }
  }

  /**
   * What is known of a run, null if nothing. Synchronous, so that a caller can look and reserve in one turn; a look at
   * an unknown id takes microseconds. A file that cannot be understood counts as `lost`: the run has been here.
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

  /** Records, durably once it resolves. */
  async write(runId: string, record: RunRecord): Promise<void> {
    await writeDurably(this.path(runId), JSON.stringify(record));
    // It is in the record now, if there was any.
    if (record.state !== 'starting') await rm(this.connectionsPath(runId), { force: true });
  }

  /** Forgets a run of which nothing has begun. */
  async forget(runId: string): Promise<void> {
    await rm(this.path(runId), { force: true });
    await rm(this.connectionsPath(runId), { force: true });
  }

  /** Keeps a connection of a run that has not ended, at once: this process may be killed the next moment. */
  keepConnection(runId: string, connection: CountedConnection): void {
    appendFileSync(this.connectionsPath(runId), `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  }

  /** What was kept of a run's connections. A line that a crash cut short is left out. */
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

  /** The runs that have a `starting` record. */
  async unfinished(): Promise<readonly string[]> {
    return (await this.runIds()).filter((runId) => this.find(runId)?.state === 'starting');
  }

  /** Removes final records older than `maxAgeMs`. Returns how many. */
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
