import { command, option, repeated } from '@aish/cli/command';
import { wholeNumber } from '@aish/cli/whole-number';
import { note, writeJson, writeLines } from '@aish/client/io';
import { Presets, presetsOf, type Preset } from '@aish/contracts/config/presets.settings';
import { AishError } from '@aish/contracts/problems';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { JOBS, NAMES, chosen, jobsOf } from './chosen-jobs.js';
import { FirstAnswers, firstAnswersTable, type FirstResult } from './first-answers.js';
import { aligned } from './summary.js';

/** Longer answers contain nothing more that counts. */
const MAX_TOKENS = 400;

export const jobsFirstAnswers = command({
  name: 'first-answers',
  about: 'Measure how many first answers of a model are usable; needs no aish and no Docker',
  args: { names: NAMES },
  options: {
    jobs: JOBS,
    endpoint: repeated('url', 'Model endpoint, without /v1 (default: that of the preset fast)'),
    seeds: option('n', 'Number of answers per job, with seeds from 1 (default: 1)', { read: wholeNumber }),
  },
  json: 'print every answer',
  examples: [
    'npm run jobs -- first-answers --endpoint http://127.0.0.1:8081',
    'npm run jobs -- first-answers files --seeds 2',
  ],
  run: async ({ args, options, io }) => {
    const jobs = chosen(await jobsOf(options), args.names);
    const asked = jobs.flatMap((job) => Array.from({ length: options.seeds ?? 1 }, (_, n) => ({ job, seed: n + 1 })));
    const rows: { readonly endpoint: string; readonly results: FirstResult[] }[] = [];
    for (const endpoint of options.endpoint ?? [undefined]) {
      const preset = presetAt(endpoint);
      const row = { endpoint: preset.baseUrl, results: [] as FirstResult[] };
      rows.push(row);
      const model = await FirstAnswers.of({ ...preset, maxTokens: MAX_TOKENS });
      for (const { job, seed } of asked) {
        const result = await model.ask(job, seed, io.signal);
        row.results.push(result);
        note(
          io,
          oneLine(`${row.results.length}/${asked.length}  ${job.name}, seed ${seed}: ${result.fault ?? 'usable'}`),
        );
      }
    }
    if (options.json) return writeJson(io, rows);
    writeLines(
      io,
      aligned(firstAnswersTable(rows))
        .split('\n')
        .map((each) => line(each)),
    );
  },
});

/** Returns the preset `fast` of the environment, with this endpoint. @throws AishError `invalid_config` */
function presetAt(endpoint: string | undefined): Preset {
  const read = Presets.safeParse({ ...process.env, ...(endpoint === undefined ? {} : { FAST_BASE_URL: endpoint }) });
  if (!read.success) throw new AishError('invalid_config', read.error.issues.map(({ message }) => message).join('; '));
  const [fast] = presetsOf(read.data);
  if (fast === undefined) throw new AishError('invalid_config', 'There is no preset fast');
  return fast;
}
