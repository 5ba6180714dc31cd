import { healthApi } from '@aish/contracts/endpoints/server';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { VERSION } from '@aish/contracts/health';
import { Trust } from '@aish/contracts/trust';
import { adviceFor } from './card.js';
import { FIT_JOBS, type Job } from './job.js';
import { pageOf } from './page.js';
import type { JobResult } from './result.js';
import { RunFolder, type RunHead } from './run-folder.js';
import { clearUp, runJobs } from './run-jobs.js';
import { aligned, markdown, summaryOf, tableOf } from './summary.js';
import { ensureWorldImages } from './world-image.js';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, flag, option } from '@aish/cli/command';
import type { Connected } from '@aish/cli/context';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { JOBS, NAMES, chosen, jobsOf } from './chosen-jobs.js';
import { wholeNumber } from '@aish/cli/whole-number';

const BASE = 'debian:13.7-slim';

const PLAY = {
  jobs: JOBS,
  preset: option('name', 'model preset (default: from the space)'),
  atOnce: option('n', 'jobs to run in parallel (default: 2)', { read: wholeNumber }),
  network: option('name', 'Docker network of the machines, if the sandbox service runs in a container'),
  base: option('image', `base image of the worlds (default: ${BASE})`),
};

export const jobsRun = command({
  name: 'run',
  about: 'Run jobs on this aish and check the results; needs Docker and a token with scope admin',
  args: { names: NAMES },
  options: {
    ...PLAY,
    out: option('folder', 'folder for the results; continues an existing run (default: aish-jobs/TIME)'),
    repeats: option('n', 'number of runs of each job (default: 1)', { read: wholeNumber }),
    space: option('name', 'space for jobs that name none, to compare instructions, presets and budgets'),
    seed: option('n', 'seed of the first repeat; each further one has the next (default: the model draws)', {
      read: wholeNumber,
    }),
    trust: choice('trust', 'trust of the goals (default: ask)', Trust.options),
    proposeCheck: flag('let the model propose a check first'),
    privileged: flag('also run jobs with Docker in privileged containers'),
  },
  json: 'print the results',
  exits: { 0: 'all were solved', 5: 'some were not solved' },
  examples: [
    'npm run jobs -- run',
    'npm run jobs -- run disk-full --preset deep',
    'npm run jobs -- run --out before --repeats 2 --seed 1',
  ],
  run: async ({ args, options, io, connect, exit }) => {
    const named = chosen(await jobsOf(options), args.names);
    const jobs = named.filter(({ docker }) => options.privileged || docker.length === 0);
    if (jobs.length < named.length)
      note(io, `${named.length - jobs.length} jobs need privileged containers. Add --privileged to play them.`);
    const out = resolve(options.out ?? join('aish-jobs', new Date().toISOString().replaceAll(/[:.]/g, '-')));
    const { preset, trust, proposeCheck, repeats, seed, space } = options;
    const given = Object.fromEntries(
      Object.entries({
        preset,
        trust,
        proposeCheck,
        repeats,
        seed,
        space,
        jobs: args.names.length === 0 ? undefined : jobs.map(({ name }) => name),
      }).filter(([, value]) => value !== undefined),
    );
    const folder = await RunFolder.open(out, newHead(jobs, given), given);
    const results = await play(jobs, { ...options, folder }, io, connect());
    if (results.some(({ solved }) => !solved)) exit(EXIT.notDone);
    if (options.json) return writeJson(io, results);
    writeLines(
      io,
      aligned(tableOf(results))
        .split('\n')
        .map((each) => line(each)),
    );
    note(io, `The page: ${join(out, 'page.html')}`);
  },
});

export const jobsFit = command({
  name: 'fit',
  about: 'Find out with ten short jobs whether a model can work unattended, and what to set',
  options: PLAY,
  json: 'print the advice and the results',
  exits: { 0: 'it is', 5: 'it is not' },
  examples: ['npm run jobs -- fit --preset deep'],
  run: async ({ options, io, connect, exit }) => {
    const jobs = chosen(await jobsOf(options), FIT_JOBS);
    const out = resolve(join('aish-jobs', `fit-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`));
    const { preset = null } = options;
    const folder = await RunFolder.open(out, newHead(jobs, { preset }), {});
    const results = await play(jobs, { ...options, folder }, io, connect());
    const advice = adviceFor(results);
    if (!advice.unattended) exit(EXIT.notDone);
    if (options.json) return writeJson(io, { ...advice, results });
    writeLines(
      io,
      advice.lines.map((each) => line(each)),
    );
  },
});

/** Returns the head of a new run with the given settings. */
function newHead(jobs: readonly Job[], given: Readonly<Partial<RunHead>>): RunHead {
  return {
    id: randomUUID(),
    at: new Date().toISOString(),
    aish: VERSION,
    preset: null,
    trust: 'ask',
    proposeCheck: false,
    repeats: 1,
    seed: null,
    space: null,
    jobs: jobs.map(({ name }) => name),
    ...given,
  };
}

interface PlayOptions {
  readonly folder: RunFolder;
  readonly atOnce?: number | undefined;
  readonly network?: string | undefined;
  readonly base?: string | undefined;
}

/** Plays the remaining jobs of the run, and writes a table, a page and the results next to its record. */
async function play(
  jobs: readonly Job[],
  { folder, atOnce = 2, network, base = BASE }: PlayOptions,
  io: Io,
  { client }: Connected,
): Promise<readonly JobResult[]> {
  const { head } = await folder.read();
  const played = jobs.filter(({ name }) => head.jobs.includes(name));
  await client.call(healthApi.check, {}, io.signal);
  await clearUp(folder, played, client, io.signal);
  const worlds = new Set(played.map(({ world }) => world));
  const images = await ensureWorldImages(base, worlds, io.signal);
  const results = await runJobs(
    played,
    {
      client, folder, images, atOnce,
      runId: head.id, repeats: head.repeats, trust: head.trust, proposeCheck: head.proposeCheck,
      signal: io.signal,
      ...(head.space === null ? {} : { space: head.space }),
      ...(head.seed === null ? {} : { seed: head.seed }),
      ...(head.preset === null ? {} : { preset: head.preset }),
      ...(network === undefined ? {} : { network }),
      progress: ({ job, solved, state, why }, done, of) =>
        note(io, oneLine(`${done}/${of}  ${job}: ${state}, ${solved ? 'solved' : `not solved: ${why}`}`)),
    },
  ); // prettier-ignore
  await folder.write(
    'results.json',
    `${JSON.stringify({ run: head, summary: summaryOf(results), results }, null, 2)}\n`,
  );
  await folder.write('table.md', `${markdown(tableOf(results))}\n`);
  await folder.write('page.html', pageOf(head, results));
  return results;
}
