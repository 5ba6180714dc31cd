import { HELD_ENTRY, HeldRun } from '@aish/contracts/backup';
import { isSkippedList, parseSkipped, SKIPPED_LIST_MAX_BYTES, type Skipped } from '@aish/contracts/skipped';
import * as tar from 'tar';

export interface WorkspaceTar {
  readonly held: HeldRun | null;
  readonly skipped: readonly Skipped[];
}

/** Reads the sandbox's own entries in the backup of a workspace. No workspace file has such a name. */
export async function readWorkspaceTar(file: string): Promise<WorkspaceTar> {
  let held: HeldRun | null = null;
  let skipped: readonly Skipped[] = [];
  await tar.list({
    file,
    strict: true,
    onReadEntry: (entry) => {
      const isOurs = entry.path === HELD_ENTRY || isSkippedList(entry.path);
      if (!isOurs || entry.size > SKIPPED_LIST_MAX_BYTES) return;
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (entry.path === HELD_ENTRY) held = HeldRun.parse(JSON.parse(text));
        else skipped = parseSkipped(text);
      });
    },
  });
  return { held, skipped };
}
