import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RunOutcome } from '@aish/contracts/actions';
import { z } from 'zod';
import { writeDurably } from '../storage/durable-file.js';
import { Session } from '../workspaces/session.js';

/** All of what a command began in: where it is the same, a second run is the same run. */
export const Conditions = z.object({
  command: z.string(),
  /** The folder and the variables that it began with, and those that it would leave to the next. */
  session: Session,
  carried: Session.nullable(),
  /** Of what its container is made: image, limits, rules. */
  place: z.string(),
});
export type Conditions = z.infer<typeof Conditions>;

const StashedPreview = z.object({
  workspaceId: z.uuid(),
  /** The run of the preview. */
  runId: z.uuid(),
  conditions: Conditions,
  outcome: RunOutcome,
  /** What it left to the next command; null where that is not carried over. */
  session: Session.nullable(),
});
export type StashedPreview = z.infer<typeof StashedPreview>;

const NAME = /^([0-9a-f-]{36})\.json$/;

/** What is known of runs that were set aside, by the action that each is a preview of: a JSON file each, whole or absent. */
export class PreviewStore {
  constructor(private readonly folder: string) {}

  /** Synchronous: a look at an unknown one takes microseconds. One that cannot be understood is none. */
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

  /** Records, durably once it resolves. */
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
