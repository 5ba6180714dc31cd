import { readFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Script } from '@aish/rehearsal';
import { parse } from 'yaml';
import { plan, plans } from './plan.js';
import { ROOT } from './service.process.js';

export const JOBS = `${ROOT}jobs`;

interface JobTexts {
  readonly goal: string;
  readonly reference: readonly string[];
  readonly wrong: readonly string[];
}

/** A model that plays what the jobs have as a solution, or as one that only looks like it. */
export async function jobsModel(which: 'reference' | 'wrong'): Promise<Script> {
  const files = (await readdir(JOBS, { recursive: true })).filter((file) => basename(file) === 'job.yaml');
  const loaded = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(join(JOBS, file), 'utf8')).replaceAll('{host}', basename(dirname(file)));
      const job = parse(text) as JobTexts;
      return [job.goal.trim(), plan(...job[which].map((command) => `CMD: ${command}`), 'GOAL: complete')] as const;
    }),
  );
  return plans(Object.fromEntries(loaded));
}
