import { resolve } from 'node:path';
import { cardOf } from './card.js';
import { RunFolder } from './run-folder.js';
import { aligned, comparison, summaryOf, tableOf, turned } from './summary.js';
import { line, span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { command, one } from '@aish/cli/command';
import { writeJson, writeLines } from '@aish/client/io';
import { JOBS, NAMES, chosen, jobsOf } from './chosen-jobs.js';

const REF = one('a folder that a run made');

export const jobsList = command({
  name: 'list',
  about: 'list the jobs',
  args: { names: NAMES },
  options: { jobs: JOBS },
  json: 'print them',
  examples: ['npm run jobs -- list', 'npm run jobs -- list disk-full'],
  run: async ({ args, options, io }) => {
    const jobs = chosen(await jobsOf(options), args.names);
    if (options.json) return writeJson(io, jobs);
    writeLines(
      io,
      jobs.map(({ kind, name, goal }) => [
        span(kind.padEnd(18), 'dim'),
        span(name.padEnd(20), 'bold'),
        span(oneLine(goal).slice(0, 110)),
      ]),
    );
  },
});

export const jobsShow = command({
  name: 'show',
  about: 'Show a job (goal, world, checks) or the table of a run',
  args: { what: one('the name of a job, or a folder that a run made') },
  options: { jobs: JOBS },
  json: 'print it',
  examples: ['npm run jobs -- show log-flood', 'npm run jobs -- show aish-jobs/before'],
  run: async ({ args, options, io }) => {
    const job = (await jobsOf(options).catch(() => [])).find(({ name }) => name === args.what);
    if (job === undefined) {
      const { head, results } = await RunFolder.at(resolve(args.what)).read();
      if (options.json) return writeJson(io, { run: head, results });
      return writeLines(
        io,
        aligned(tableOf(results))
          .split('\n')
          .map((each) => line(each)),
      );
    }
    if (options.json) return writeJson(io, job);
    const part = (title: string, text: string) => [
      line(''),
      [span(title, 'bold')],
      ...text
        .trim()
        .split('\n')
        .map((each) => line(each)),
    ];
    writeLines(io, [
      line(`${job.name} (${job.kind}, ${job.world})`),
      ...part('goal', job.goal),
      ...part('world.sh', job.makes),
      ...part('verify.sh', job.verifies),
      ...part('a solution', job.reference.join('\n')),
      ...part('no solution', job.wrong.map((each) => each.join('\n')).join('\n\n')),
    ]);
  },
});

export const jobsCompare = command({
  name: 'compare',
  about: 'Compare two runs: figures, and jobs with different results',
  args: { first: REF, second: one('another one') },
  json: 'print both summaries',
  examples: ['npm run jobs -- compare before after'],
  run: async ({ args, options, io }) => {
    const [a, b] = await Promise.all([args.first, args.second].map((each) => RunFolder.at(resolve(each)).read()));
    const [first, second] = [a?.results ?? [], b?.results ?? []];
    if (options.json)
      return writeJson(io, { first: summaryOf(first), second: summaryOf(second), turned: turned(first, second) });
    writeLines(
      io,
      [...aligned(comparison(first, second)).split('\n'), ...turned(first, second)].map((each) => line(each)),
    );
  },
});

export const jobsCard = command({
  name: 'card',
  about: 'Print the results of a run as a Markdown page',
  args: { run: REF },
  examples: ['npm run --silent jobs -- card aish-jobs/before > my-model.md'],
  run: async ({ args, io }) => {
    const { head, results } = await RunFolder.at(resolve(args.run)).read();
    io.stdout.write(cardOf(head, results));
  },
});
