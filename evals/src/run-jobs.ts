import { goalsApi } from '@aish/contracts/endpoints/goals';
import { isAishError } from '@aish/contracts/problems';
import type { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import type { Job } from './job.js';
import { leave, playJob, type Player } from './play.js';
import { failedResult, type JobResult } from './result.js';
import type { RunFolder } from './run-folder.js';
import { removeWorlds } from './world.js';

export interface RunOptions extends Omit<Player, 'begun'> {
  readonly folder: RunFolder;
  readonly repeats: number;
  /** The number of jobs that are played in parallel. */
  readonly atOnce: number;
  readonly progress: (result: JobResult, done: number, of: number) => void;
}

/** Plays the remaining jobs. A job has one machine of its name, so its repeats run one after another. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<readonly JobResult[]> {
  const { folder, repeats, atOnce } = options;
  const { results: before } = await folder.read();
  const results = [...before];
  const has = (job: Job, attempt: number) => before.some((each) => each.job === job.name && each.attempt === attempt);
  const waiting = jobs.map((job) => ({
    job,
    attempts: Array.from({ length: repeats }, (_, n) => n + 1).filter((attempt) => !has(job, attempt)),
  }));
  const playNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const attempt of next.attempts) {
        const result = await playOnce(next.job, attempt, options);
        await folder.ended(result);
        results.push(result);
        options.progress(result, results.length, jobs.length * repeats);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, playNext));
  return results;
}

/** Removes the goals, hosts, secrets and worlds that a killed run left behind. */
export async function clearUp(
  folder: RunFolder,
  jobs: readonly Job[],
  client: ApiClient,
  signal: AbortSignal,
): Promise<void> {
  const { head, open } = await folder.read();
  for (const goal of open) {
    await client.call(goalsApi.cancel, { params: { ref: String(goal) } }, signal).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.kind !== 'answered') throw error; // the goal has ended, or is gone
    });
  }
  for (const job of jobs) await leave(job, client);
  await removeWorlds(head.id);
}

async function playOnce(job: Job, attempt: number, options: RunOptions): Promise<JobResult> {
  const begun = (goal: number) => options.folder.begun(job.name, attempt, goal);
  try {
    return await playJob(job, attempt, { ...options, begun });
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isAishError(error) && !(error instanceof ApiError)) throw error;
    return failedResult(job, attempt, `${error.code}: ${error.message}`);
  }
}
