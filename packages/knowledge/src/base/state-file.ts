import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The journal of a writer. It is written before git locks anything, and again with the commit before the branch moves.
 * It is removed once files and index match the branch. With it the next writer can finish the work of a killed one.
 */
export const Journal = z.object({
  from: z.string().nullable(),
  /** The new commit; null while it is being made. Nothing has changed then, but git's locks may remain. */
  to: z.string().nullable(),
  paths: z.array(z.string()),
});
export type Journal = z.infer<typeof Journal>;

/** The commit up to which everything passes the lint and the index is correct. */
export const Verified = z.object({ commit: z.string() });
export type Verified = z.infer<typeof Verified>;

/** The results of the last fetch and the last push. doctor, the log and the start of the terminal UI show them. */
export const RemoteState = z.object({
  fetchedAt: z.string().nullable().default(null),
  fetchFailure: z.object({ detail: z.string(), at: z.string() }).nullable().default(null),
  /** Approximate milliseconds that the remote took to report the position of its branch. */
  answerMs: z.number().nullable().default(null),
  /** How many times in a row the remote kept writers waiting, and until when they do not contact it. */
  silent: z.object({ times: z.number(), until: z.string() }).nullable().default(null),
  pushedAt: z.string().nullable().default(null),
  pushFailure: z
    .object({
      kind: z.enum(['unreachable', 'rejected', 'failed']),
      detail: z.string(),
      at: z.string(),
      /** The commit of the attempted push. A rejected push is tried again only after either side has moved. */
      commit: z.string(),
      remoteCommit: z.string().nullable(),
    })
    .nullable()
    .default(null),
});
export type RemoteState = z.infer<typeof RemoteState>;

export const NO_REMOTE_STATE: RemoteState = RemoteState.parse({});

/**
 * A small JSON file in `.git/aish`, written in one step. A broken file counts as absent, because its content can be
 * rebuilt.
 */
export class StateFile<T> {
  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly schema: z.ZodType<T>,
  ) {}

  async read(): Promise<T | null> {
    const text = await readFile(join(this.folder, this.name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    return this.schema.safeParse(jsonOf(text)).data ?? null;
  }

  async write(value: T): Promise<void> {
    const temporary = join(this.folder, `tmp-${this.name}`);
    await writeFile(temporary, JSON.stringify(value));
    await rename(temporary, join(this.folder, this.name));
  }

  async clear(): Promise<void> {
    await rm(join(this.folder, this.name), { force: true });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A broken file counts as absent.
  }
}
