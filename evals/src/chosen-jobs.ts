import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AishError } from '@aish/contracts/problems';
import { loadJobs, type Job } from './job.js';
import { any, option } from '@aish/cli/command';

export const JOBS = option('folder', 'folder of the jobs (default: evals/jobs of this checkout)');
export const NAMES = any('jobs, kinds or worlds (files, host, hosts) to play (default: all)');

/** Returns the jobs of the given folder, or else those of this checkout. */
export function jobsOf({ jobs }: { readonly jobs: string | undefined }): Promise<readonly Job[]> {
  return loadJobs(jobs === undefined ? fileURLToPath(new URL('../jobs', import.meta.url)) : resolve(jobs));
}

/** @throws AishError `not_found` for a name that is neither a job, a kind nor a world */
export function chosen(jobs: readonly Job[], names: readonly string[]): readonly Job[] {
  if (names.length === 0) return jobs;
  const fits = ({ name, kind, world }: Job, each: string) => [name, kind, world].includes(each);
  const unknown = names.find((each) => !jobs.some((job) => fits(job, each)));
  if (unknown !== undefined)
    throw new AishError('not_found', `There is no job or kind ${unknown}. List them with: npm run jobs -- list`);
  return jobs.filter((job) => names.some((each) => fits(job, each)));
}
