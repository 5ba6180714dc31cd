import { readFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { recordedScript, type Script } from '@aish/demo-model';
import { parse } from 'yaml';
import { ROOT } from './service.process.js';

export const JOBS = `${ROOT}evals/jobs`;

export interface JobTexts {
  readonly world: 'files' | 'host';
  readonly goal: string;
  readonly reference: readonly string[];
  readonly wrong: readonly string[];
}

/**
 * A model that plays what the jobs have as a solution, or as one that only looks like it.
 * @param told with what a command is sent, by its number in its job.
 */
export async function jobsModel(which: 'reference' | 'wrong', told = asItIs): Promise<Script> {
  const files = (await readdir(JOBS, { recursive: true })).filter((file) => basename(file) === 'job.yaml');
  const loaded = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(join(JOBS, file), 'utf8')).replaceAll('{host}', basename(dirname(file)));
      const job = parse(text) as JobTexts;
      const commands = job[which].map((command, n) => `CMD: ${told(command, n, job)}`);
      return { goal: job.goal, said: [...commands, 'GOAL: complete\nDone.'] };
    }),
  );
  return recordedScript(loaded);
}

/** The same model, which thinks for so long before each answer: four characters a token, no two alike. */
export function thinking(script: Script, tokens: number): Script {
  const reasoning = Array.from({ length: tokens }, (_, n) => String(n).padStart(4)).join('');
  return (...asked) => ({ ...script(...asked), reasoning });
}

const asItIs = (command: string, _n: number, _job: JobTexts): string => command;
