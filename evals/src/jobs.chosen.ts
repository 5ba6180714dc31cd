import { AishError } from '@aish/contracts/problems';
import type { Job } from '../jobs/job.js';
import { any, option } from './command.js';

export const JOBS = option('folder', 'where the jobs are (default jobs, in this folder)');
export const NAMES = any('names of jobs or of kinds; without any: all');

/** @throws AishError `not_found` for a name that is neither a job nor a kind. */
export function chosen(jobs: readonly Job[], names: readonly string[]): readonly Job[] {
  if (names.length === 0) return jobs;
  const unknown = names.find((each) => !jobs.some(({ name, kind }) => [name, kind].includes(each)));
  if (unknown !== undefined)
    throw new AishError('not_found', `There is no job and no kind ${unknown}; aish jobs list says which`);
  return jobs.filter(({ name, kind }) => names.includes(name) || names.includes(kind));
}
