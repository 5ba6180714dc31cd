import { once } from 'node:events';
import { resolve } from 'node:path';
import { recordedScript, startScriptedModel } from '@aish/rehearsal';
import { line } from '@aish/views/line';
import { loadJobs } from '../jobs/job.js';
import { RunFolder } from '../jobs/run-folder.js';
import { command, one, option } from './command.js';
import { writeLines } from './io.js';
import { JOBS } from './jobs.chosen.js';
import { wholeNumber } from './whole-number.js';

export const jobsReplay = command({
  name: 'jobs replay',
  about:
    'be a model that says again what the model of a run said, until you press Ctrl-C: for a preset, without a card',
  args: { run: one('a folder that aish jobs run made') },
  options: {
    jobs: JOBS,
    host: option('address', 'where to listen (default 127.0.0.1)'),
    port: option('n', 'on which port (default one that is free)', { read: wholeNumber }),
  },
  examples: ['aish jobs replay aish-jobs/before --port 8099'],
  run: async ({ args, options, io }) => {
    const { results } = await RunFolder.at(resolve(args.run)).read();
    const jobs = await loadJobs(resolve(options.jobs ?? 'jobs'));
    const recorded = jobs.flatMap(({ name, goal }) => {
      const said = results.find(({ job, attempt }) => job === name && attempt === 1)?.said ?? [];
      return said.length === 0 ? [] : { goal, said };
    });
    const model = await startScriptedModel({
      script: recordedScript(recorded),
      model: 'recorded',
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
    });
    try {
      writeLines(io, [
        line(`${recorded.length} jobs are answered as recorded, at ${model.url}`),
        line(`A preset asks it: DEEP_BASE_URL=${model.url} for the services, then aish jobs run --preset deep`),
      ]);
      if (!io.signal.aborted) await once(io.signal, 'abort');
    } finally {
      await model.close();
    }
  },
});
