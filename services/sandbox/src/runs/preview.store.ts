import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RunOutcome } from '@aish/contracts/actions';
import { z } from 'zod';
import { writeDurably } from '../storage/durable-file.js';
import { Session } from '../workspaces/session.js';

/** All conditions under which a command begins. A second run under the same conditions gives the same result. */
export const Conditions = z.object({
  command: z.string(),
  /** The folder and variables at the start of the command and of the next one. */
  session: Session,
  carried: Session.nullable(),
  /** The settings of the command's container: image, limits, rules. */
  place: z.string(),
});
export type Conditions = z.infer<typeof Conditions>;

const StashedPreview = z.object({
  workspaceId: z.uuid(),
  /** The run of the preview. */
  runId: z.uuid(),
  conditions: Conditions,
  outcome: RunOutcome,
  /** The session that the preview left to the next command; null if it is not carried over. */
  session: Session.nullable(),
});
export type StashedPreview = z.infer<typeof StashedPreview>;

const NAME = /^([0-9a-f-]{36})\.json$/;

/** Stores the records of stashed previews, by action, in a JSON file each. A file is complete or absent. */
export class PreviewStore {
  constructor(private readonly folder: string) {}

  /**
   * Returns the stashed preview of an action, or null. The call is synchronous, because looking up an unknown ID takes
   * microseconds. An unreadable file counts as absent.
   */
  find(actionId: string): StashedPreview | null {
    let text: string;
    try {
      text = readFileSync(this.path(actionId), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return StashedPreview.safeParse(JSON.parse(text)).data ?? null;
  }

  /** Stores a record. It is durable once the promise resolves. */
  async write(actionId: string, preview: StashedPreview): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    await writeDurably(this.path(actionId), JSON.stringify(preview));
  }

  forget(actionId: string): void {
    rmSync(this.path(actionId), { force: true });
  }

  actionIds(): readonly string[] {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return readdirSync(this.folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  }

  private path(actionId: string): string {
    return join(this.folder, `${actionId}.json`);
  }
}
