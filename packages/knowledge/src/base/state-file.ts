import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Written before git locks anything and again, with the commit, before the branch moves; removed once files and index
 * follow: a killed writer's work is finished by the next.
 */
export const Journal = z.object({
  from: z.string().nullable(),
  /** Null while the commit is being made: nothing has changed then, but locks of git may be left. */
  to: z.string().nullable(),
  paths: z.array(z.string()),
});
export type Journal = z.infer<typeof Journal>;

/** Up to which commit everything is known to pass the lint, the index to be true. */
export const Verified = z.object({ commit: z.string() });
export type Verified = z.infer<typeof Verified>;

/** How the last fetch and the last push went. Seen by doctor, in the log and at the start of the terminal UI. */
export const RemoteState = z.object({
  fetchedAt: z.string().nullable().default(null),
  fetchFailure: z.object({ detail: z.string(), at: z.string() }).nullable().default(null),
  /** How long it took to say where its branch is, roughly, milliseconds. */
  answerMs: z.number().nullable().default(null),
  /** It kept writers waiting, so many times in a row; until then they do not ask. */
  silent: z.object({ times: z.number(), until: z.string() }).nullable().default(null),
  pushedAt: z.string().nullable().default(null),
  pushFailure: z
    .object({
      kind: z.enum(['unreachable', 'rejected', 'failed']),
      detail: z.string(),
      at: z.string(),
      /** What was tried to push; a rejected one is tried again only after either side has moved. */
      commit: z.string(),
      remoteCommit: z.string().nullable(),
    })
    .nullable()
    .default(null),
});
export type RemoteState = z.infer<typeof RemoteState>;

export const NO_REMOTE_STATE: RemoteState = RemoteState.parse({});

/**
 * A small JSON file in `.git/aish`, written in one step. An unreadable file counts as absent, because every one can be
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
    return undefined; // counts as absent
  }
}
