import { readFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { recordedScript, type Script } from '@aish/demo-model';
import { parse } from 'yaml';
import { ROOT } from './service.process.js';

export const JOBS = `${ROOT}evals/jobs`;

export interface JobTexts {
  readonly world: 'files' | 'host' | 'hosts';
  readonly goal: string;
  readonly reference: readonly string[];
  readonly wrong: readonly string[] | readonly (readonly string[])[];
}

/**
 * Starts a model that plays the reference solution of each job, or a wrong one.
 * @param rewrite changes a command before it is sent; it receives the command's number in the job
 * @param nth which of the wrong solutions to play; a job with fewer of them plays its last one
 */
export async function jobsModel(which: 'reference' | 'wrong', rewrite = asItIs, nth = 0): Promise<Script> {
  const files = (await readdir(JOBS, { recursive: true })).filter((file) => basename(file) === 'job.yaml');
  const loaded = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(join(JOBS, file), 'utf8')).replaceAll('{host}', basename(dirname(file)));
      const job = parse(text) as JobTexts;
      const commands = commandsOf(job, which, nth).map((command, n) => `CMD: ${rewrite(command, n, job)}`);
      return { goal: job.goal, said: [...commands, 'GOAL: complete\nDone.'] };
    }),
  );
  return recordedScript(loaded);
}

function commandsOf(job: JobTexts, which: 'reference' | 'wrong', nth: number): readonly string[] {
  if (which === 'reference') return job.reference;
  const lists = job.wrong.filter((each) => typeof each !== 'string');
  const only = job.wrong.filter((each) => typeof each === 'string');
  return lists[Math.min(nth, lists.length - 1)] ?? only;
}

/**
 * Returns a script that thinks for this many tokens before each answer. There are four characters per token, and all
 * tokens are different.
 */
export function thinking(script: Script, tokens: number): Script {
  const reasoning = Array.from({ length: tokens }, (_, n) => String(n).padStart(4)).join('');
  return (...asked) => ({ ...script(...asked), reasoning });
}

const asItIs = (command: string, _n: number, _job: JobTexts): string => command;
