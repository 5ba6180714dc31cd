import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { parse } from 'yaml';
import { SecretName, SecretValue } from '@aish/contracts/secrets';
import { z } from 'zod';

const pattern = z.string().refine((text) => canBePattern(text), 'must be a regular expression');

const commands = z.array(z.string()).min(1);
const machine = z.string().regex(/^[a-z][a-z0-9]{0,11}$/, 'a short name of small letters and digits');

/**
 * `job.yaml`. `{host}` in its texts is the job's own name, by which its machine is known; `{address}` in its goal is that
 * machine's address. Of several machines each is known as `{host}-NAME`, and to the others also as NAME.
 */
const JobFile = z.strictObject({
  /** What the goal says. */
  goal: z.string().trim().min(1),
  /** Where the world is: files of the goal's workspace, a machine that is reached over SSH, or several. */
  world: z.enum(['files', 'host', 'hosts']),
  /** The machines of the world `hosts`, in the order in which they are made and verified. */
  hosts: z.array(machine).min(2).max(4).default([]),
  /** The machines that have a Docker of their own. They are privileged containers. */
  docker: z.array(machine).default([]),
  /** The space that the goal works in. */
  space: z.string().optional(),
  steps: z.int().min(1).max(256).default(16),
  minutes: z.number().positive().default(10),
  /** What must be as it was: paths, as the shell of the world expands them; of several machines `NAME:PATH`. */
  keep: z.array(z.string()).default([]),
  /** Words that nobody but the world may see. */
  secrets: z.array(z.string().min(4)).default([]),
  /**
   * Secrets of aish that its commands may use, each by a name that no other job has. With a port they go to that port of
   * the machine, over HTTP, and commands have placeholders; without, commands have them in clear.
   */
  gives: z
    .record(SecretName, z.strictObject({ value: SecretValue, port: z.int().min(1).max(65_535).optional() }))
    .default({}),
  questions: z
    .strictObject({
      /** What a person wants to be asked about. Any other question is needless, and is let through. */
      needed: z.array(pattern).default([]),
      /** What a person says no to. */
      refused: z.array(pattern).default([]),
      /** To what the model wants to know. Without: that it shall decide. */
      answer: z.string().optional(),
    })
    .prefault({}),
  /** The commands of a solution. */
  reference: commands,
  /** The commands of up to three that only look like it. */
  wrong: z.union([commands.transform((only) => [only]), z.array(commands).min(1).max(3)]),
});

export type Job = z.infer<typeof JobFile> & {
  readonly name: string;
  readonly kind: string;
  /** Makes the world; bash, in the workspace or as root of the machine. */
  readonly makes: string;
  /** Looks at the world afterwards: exit 0 is solved, and what it prints is why not. */
  readonly verifies: string;
};

/** A machine of a job: the name by which aish knows it, and its short one among several. */
export interface Machine {
  readonly host: string;
  readonly short: string;
}

export function machinesOf({ name, world, hosts }: Pick<Job, 'name' | 'world' | 'hosts'>): readonly Machine[] {
  if (world === 'files') return [];
  return world === 'host' ? [{ host: name, short: name }] : hosts.map((short) => ({ host: `${name}-${short}`, short }));
}

/** One of the short jobs by which `aish model list fit` tells a model. */
export const FIT_JOBS = [
  'log-flood', 'config-typo', 'expiring-report', 'single-file', 'bump-tag',
  'failed-logins', 'world-writable', 'zone-record', 'checksum-copy', 'usage-report',
] as const; // prettier-ignore

/**
 * All jobs below a folder, by kind and name: `KIND/NAME/job.yaml`, `world.sh` and `verify.sh`.
 * @throws AishError `invalid_config` with every fault of every job, `not_found` when there is none.
 */
export async function loadJobs(folder: string): Promise<readonly Job[]> {
  const files = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new AishError('not_found', `There is no folder of jobs at ${folder}; say where with --jobs`, {}, { cause });
  });
  const found = files.filter((file) => basename(file) === 'job.yaml').toSorted();
  if (found.length === 0) throw new AishError('not_found', `There is no job.yaml below ${folder}`);
  const loaded = await Promise.all(found.map((file) => loadJob(join(folder, file))));
  const faults = loaded.flatMap((each) => ('fault' in each ? [each.fault] : []));
  const jobs = loaded.flatMap((each) => ('fault' in each ? [] : [each]));
  const twice = jobs.find((job, at) => jobs.findIndex(({ name }) => name === job.name) !== at);
  if (twice !== undefined) faults.push(`${twice.name} stands twice`);
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
    if ((job.world === 'hosts') !== job.hosts.length > 0) return { fault: `${file}: only the world hosts has hosts` };
    const unknown = job.docker.find((each) => !job.hosts.includes(each));
    if (unknown !== undefined) return { fault: `${file}: ${unknown} is none of its hosts` };
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
    return false; // the schema says so
  }
}
