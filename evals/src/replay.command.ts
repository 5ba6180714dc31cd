import { once } from 'node:events';
import { resolve } from 'node:path';
import { recordedScript, startScriptedModel } from '@aish/demo-model';
import { line } from '@aish/views/line';
import { RunFolder } from './run-folder.js';
import { command, one, option } from '@aish/cli/command';
import { writeLines } from '@aish/client/io';
import { JOBS, jobsOf } from './chosen-jobs.js';
import { wholeNumber } from '@aish/cli/whole-number';

export const jobsReplay = command({
  name: 'replay',
  about: 'Serve the recorded answers of a run as a model, until Ctrl-C',
  args: { run: one('a folder that a run made') },
  options: {
    jobs: JOBS,
    host: option('address', 'address to listen on (default: 127.0.0.1)'),
    port: option('n', 'port to listen on (default: a free one)', { read: wholeNumber }),
  },
  examples: ['npm run jobs -- replay aish-jobs/before --port 8099'],
  run: async ({ args, options, io }) => {
    const { results } = await RunFolder.at(resolve(args.run)).read();
    const jobs = await jobsOf(options);
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
        line(
          `Let a preset use it: DEEP_BASE_URL=${model.url} for the services, then npm run jobs -- run --preset deep`,
        ),
      ]);
      if (!io.signal.aborted) await once(io.signal, 'abort');
    } finally {
      await model.close();
    }
  },
});
