import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RunOutcome } from '@aish/contracts';
import { z } from 'zod';

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
  }),
  z.object({ state: z.literal('ended'), outcome: RunOutcome }),
  z.object({ state: z.literal('lost') }),
]);
export type RunRecord = z.infer<typeof RunRecord>;

const RECORD_NAME = /^([0-9a-f-]{36})\.json$/;

/** One JSON file per run in one folder. A file is whole or absent, never half-written. */
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

  /** Records, durably once it resolves: the file's bytes first, then its name. */
  async write(runId: string, record: RunRecord): Promise<void> {
    const temporary = `${this.path(runId)}.tmp`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.path(runId));
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Forgets a run of which nothing has begun. */
  async forget(runId: string): Promise<void> {
    await rm(this.path(runId), { force: true });
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

  private path(runId: string): string {
    return join(this.folder, `${runId}.json`);
  }
}
