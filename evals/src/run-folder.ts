import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { Trust } from '@aish/contracts/trust';
import { z } from 'zod';
import { localError } from '@aish/client/io';
import { JobResult } from './result.js';

export const RunHead = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  aish: z.string(),
  preset: z.string().nullable(),
  trust: Trust,
  /** Of goals whose job names none; null: the general one. */
  space: z.string().nullable().default(null),
  proposeCheck: z.boolean(),
  repeats: z.int(),
  /** Of the first repeat; each further one has the next. Null: the endpoint's own choice. */
  seed: z.int().nullable().default(null),
  jobs: z.array(z.string()),
});
export type RunHead = z.infer<typeof RunHead>;

const Entry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), run: RunHead }),
  z.object({ type: z.literal('begun'), job: z.string(), attempt: z.int(), goal: z.int() }),
  z.object({ type: z.literal('ended'), result: JobResult }),
]);
type Entry = z.infer<typeof Entry>;

export interface Run {
  readonly head: RunHead;
  readonly results: readonly JobResult[];
  /** Goals of jobs that had not ended when the run was killed. */
  readonly open: readonly number[];
}

const RECORD = 'record.jsonl';

/** The record of a run: a line when a job has a goal and one when it has ended, each written before anything else happens. */
export class RunFolder {
  private constructor(readonly path: string) {}

  /**
   * The run of this folder: one that is there goes on, else a new one begins with `head`.
   * @param given what of the settings was said now.
   * @throws AishError `not_empty` for a run with other settings.
   */
  static async open(path: string, head: RunHead, given: Readonly<Partial<RunHead>>): Promise<RunFolder> {
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      throw localError(error);
    });
    const folder = new RunFolder(path);
    try {
      await writeFile(join(path, RECORD), `${JSON.stringify({ type: 'run', run: head })}\n`, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw localError(error);
      const before: Readonly<Record<string, unknown>> = (await folder.read()).head;
      const other = Object.entries(given).find(
        ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
      );
      if (other !== undefined)
        throw new AishError('not_empty', `The run in ${path} has other ${other[0]}. Name another folder with --out.`);
    }
    return folder;
  }

  static at(path: string): RunFolder {
    return new RunFolder(path);
  }

  /** @throws AishError `not_found`, `invalid_config` */
  async read(): Promise<Run> {
    const text = await readFile(join(this.path, RECORD), 'utf8').catch((cause: unknown) => {
      throw new AishError('not_found', `There is no run in ${this.path}`, {}, { cause });
    });
    const entries = text.split('\n').flatMap((line) => entryOf(line) ?? []);
    const head = entries.flatMap((entry) => (entry.type === 'run' ? [entry.run] : []))[0];
    if (head === undefined) throw new AishError('invalid_config', `${join(this.path, RECORD)} is no record of a run`);
    const results = entries.flatMap((entry) => (entry.type === 'ended' ? [entry.result] : []));
    const ended = new Set(results.map(({ goal }) => goal));
    const begun = entries.flatMap((entry) => (entry.type === 'begun' ? [entry.goal] : []));
    return { head, results, open: begun.filter((goal) => !ended.has(goal)) };
  }

  begun(job: string, attempt: number, goal: number): Promise<void> {
    return this.append({ type: 'begun', job, attempt, goal });
  }

  ended(result: JobResult): Promise<void> {
    return this.append({ type: 'ended', result });
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.path, name), text);
  }

  private append(entry: Entry): Promise<void> {
    return appendFile(join(this.path, RECORD), `${JSON.stringify(entry)}\n`, { flush: true });
  }
}

/** A line that a kill has cut off is no entry. */
function entryOf(line: string): Entry | null {
  try {
    return Entry.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
