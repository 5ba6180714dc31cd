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
  /** The space for goals whose job names none. Null stands for the general space. */
  space: z.string().nullable().default(null),
  proposeCheck: z.boolean(),
  repeats: z.int(),
  /** The seed of the first repeat. Each further repeat adds 1. If it is null, the endpoint chooses. */
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
  /** The goals of jobs that had not ended when the run was killed. */
  readonly open: readonly number[];
}

const RECORD = 'record.jsonl';

/**
 * Stores the record of a run. It has one line when a job gets its goal and one when the job has ended. Each line is
 * written before anything else happens.
 */
export class RunFolder {
  private constructor(readonly path: string) {}

  /**
   * Opens the run of this folder: continues an existing run, or begins a new one with `head`.
   * @param given the settings of this call
   * @throws AishError `not_empty` for a run with other settings
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
        throw new AishError(
          'not_empty',
          `The run in ${path} has a different ${other[0]}. Name another folder with --out.`,
        );
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
    if (head === undefined)
      throw new AishError('invalid_config', `${join(this.path, RECORD)} is not the record of a run`);
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

/** Parses a line. An incomplete line after a kill is ignored. */
function entryOf(line: string): Entry | null {
  try {
    return Entry.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
