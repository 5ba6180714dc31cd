import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { parse } from 'yaml';
import { SecretName, SecretValue } from '@aish/contracts/secrets';
import { z } from 'zod';

const pattern = z.string().refine((text) => canBePattern(text), 'must be a regular expression');

const commands = z.array(z.string()).min(1);
const machine = z.string().regex(/^[a-z][a-z0-9]{0,11}$/, 'must be a short name of lowercase letters and digits');

/**
 * The file `job.yaml`. In its texts, `{host}` is the job's own name and the name of its machine. `{address}` in its
 * goal is the address of that machine. With several machines, each is known as `{host}-NAME`, and to the other machines
 * also as NAME.
 */
const JobFile = z.strictObject({
  /** The text of the goal. */
  goal: z.string().trim().min(1),
  /** The world: files in the goal's workspace, a machine reached over SSH, or several machines. */
  world: z.enum(['files', 'host', 'hosts']),
  /** The machines of the world `hosts`, in the order in which they are created and verified. */
  hosts: z.array(machine).min(2).max(4).default([]),
  /** The machines that have their own Docker. They are privileged containers. */
  docker: z.array(machine).default([]),
  /** The space of the goal. */
  space: z.string().optional(),
  steps: z.int().min(1).max(256).default(16),
  minutes: z.number().positive().default(10),
  /**
   * The paths that must stay unchanged. The world's shell expands them. With several machines they have the form
   * `NAME:PATH`.
   */
  keep: z.array(z.string()).default([]),
  /** Words that must not leave the world. */
  secrets: z.array(z.string().min(4)).default([]),
  /**
   * The secrets that the job's commands may use, each with a name that no other job has. With a port, a secret goes to
   * that port of the machine over HTTP, and commands see a placeholder. Without a port, the secret is exposed to the
   * commands.
   */
  gives: z
    .record(SecretName, z.strictObject({ value: SecretValue, port: z.int().min(1).max(65_535).optional() }))
    .default({}),
  questions: z
    .strictObject({
      /**
       * The actions that a person wants to be asked about. Any other question is needless, and the person approves it.
       */
      needed: z.array(pattern).default([]),
      /** The actions that a person refuses. */
      refused: z.array(pattern).default([]),
      /** The answer to the model's questions. By default, the answer says that the model should decide. */
      answer: z.string().optional(),
    })
    .prefault({}),
  /** The commands of a solution. */
  reference: commands,
  /** The commands of up to three wrong solutions. */
  wrong: z.union([commands.transform((only) => [only]), z.array(commands).min(1).max(3)]),
});

export type Job = z.infer<typeof JobFile> & {
  readonly name: string;
  readonly kind: string;
  /** The script that creates the world: bash, in the workspace or as root of the machine. */
  readonly makes: string;
  /** The script that checks the world afterwards. Exit code 0 means solved. Otherwise its output is the reason. */
  readonly verifies: string;
};

/** A machine of a job, with its name in aish, and its short name among several machines. */
export interface Machine {
  readonly host: string;
  readonly short: string;
}

export function machinesOf({ name, world, hosts }: Pick<Job, 'name' | 'world' | 'hosts'>): readonly Machine[] {
  if (world === 'files') return [];
  return world === 'host' ? [{ host: name, short: name }] : hosts.map((short) => ({ host: `${name}-${short}`, short }));
}

/** The names of the short jobs of `aish model list fit`. */
export const FIT_JOBS = [
  'log-flood', 'config-typo', 'expiring-report', 'single-file', 'bump-tag',
  'failed-logins', 'world-writable', 'zone-record', 'checksum-copy', 'usage-report',
] as const; // prettier-ignore

/**
 * Returns all jobs below a folder, by kind and name: `KIND/NAME/job.yaml`, `world.sh` and `verify.sh`.
 * @throws AishError `invalid_config` with all faults of all jobs, `not_found` if there is none
 */
export async function loadJobs(folder: string): Promise<readonly Job[]> {
  const files = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new AishError('not_found', `There is no folder of jobs at ${folder}. Name it with --jobs`, {}, { cause });
  });
  const found = files.filter((file) => basename(file) === 'job.yaml').toSorted();
  if (found.length === 0) throw new AishError('not_found', `There is no job.yaml below ${folder}`);
  const loaded = await Promise.all(found.map((file) => loadJob(join(folder, file))));
  const faults = loaded.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const jobs = loaded.flatMap((each) => ('fault' in each ? [] : [each]));
  const twice = jobs.find((job, at) => jobs.findIndex(({ name }) => name === job.name) !== at);
  if (twice !== undefined) faults.push(`the name ${twice.name} is used twice`);
  if (faults.length > 0) throw new AishError('invalid_config', faults.join('\n'));
  return jobs;
}

async function loadJob(file: string): Promise<Job | { readonly fault: string }> {
  const dir = join(file, '..');
  const name = basename(dir);
  try {
    const [text, makes, verifies] = await Promise.all(
      [file, join(dir, 'world.sh'), join(dir, 'verify.sh')].map((each) => readFile(each, 'utf8')),
    );
    const job = JobFile.parse(parse((text ?? '').replaceAll('{host}', name)));
    if ((job.world === 'hosts') !== job.hosts.length > 0)
      return { fault: `${file}: only a job of world hosts can have hosts` };
    const unknown = job.docker.find((each) => !job.hosts.includes(each));
    if (unknown !== undefined) return { fault: `${file}: ${unknown} is not one of its hosts` };
    return { ...job, name, kind: basename(join(dir, '..')), makes: makes ?? '', verifies: verifies ?? '' };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return { fault: `${file}: ${why}` };
  }
}

function canBePattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false; // the schema reports the fault
  }
}
