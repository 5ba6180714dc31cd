import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { ROOT } from '../support/service.process.js';
import { goalsChaos } from './goals-chaos.js';
import { jobsChaos } from './jobs-chaos.js';
import { intakeKills } from './intake-kills.js';
import { killMatrix, nameOf } from './kill-matrix.js';
import { atKillPlace } from './kill-place.js';
import { KILL_POINTS, killTable } from './kill-plan.js';
import { hammerKnowledge } from './knowledge-hammer.js';
import { killsInCompaction } from './memory-kills.js';
import { crowdOfWriters } from './memory-writers.js';
import { soak } from './soak.js';

/**
 * These are long versions of tests that `npm test` runs briefly. Each prints counts and faults, and exits with 1 if
 * there is a fault.
 */
const program = new Command('chaos');

program
  .command('goals', { isDefault: true })
  .description('goals on several workers, while workers, sandbox, api, Redis and Postgres are killed at random')
  .option('--goals <n>', 'how many', Number, 100)
  .option('--workers <n>', 'that run them', Number, 3)
  .option('--small', 'one worker in the process of the api, without Redis, as npm start has it', false)
  .option('--kills <n>', 'at most', Number, 80)
  .option('--seconds <n>', 'of killing, at most', Number, 600)
  .option('--seed <n>', 'the same seed kills the same parts in the same order', Number, 1)
  .action(async (chaos: Parameters<typeof goalsChaos>[0]) => {
    end(await goalsChaos(chaos, (line) => console.error(line)));
  });

program
  .command('soak')
  .description('chats that stream and goals that run while each part is killed in turn; how soon all of it works again')
  .option('--streams <n>', 'chats that stream at any time', Number, 40)
  .option('--goals <n>', 'that are open at any time', Number, 8)
  .option('--workers <n>', 'that run them', Number, 3)
  .option('--rounds <n>', 'how often each part is killed', Number, 1)
  .option('--pause-seconds <n>', 'between a part that is well again and the next kill', Number, 5)
  .action(async (options: Parameters<typeof soak>[0]) => {
    end(await soak(options, (line) => console.error(line)));
  });

program
  .command('jobs')
  .description(
    'all jobs by their reference solutions, while workers, sandbox, api, Redis, Postgres and the runner are killed',
  )
  .option('--kills <n>', 'at most', Number, 40)
  .option('--seed <n>', 'the same seed kills the same parts in the same order', Number, 1)
  .argument('[names...]', 'jobs or kinds; without any: all')
  .action(async (names: string[], options: { kills: number; seed: number }) => {
    end(await jobsChaos({ ...options, names }, (line) => console.error(line)));
  });

program
  .command('memory-writers')
  .description('64 writers in 4 processes, of one person’s items and then of one document')
  .option('--seconds <n>', 'how long each', Number, 30)
  .action(async ({ seconds }: { seconds: number }) => {
    end(await crowdOfWriters({ processes: 4, writers: 16, seconds }));
  });

program
  .command('memory-kills')
  .description('kills the api in the middle of compactions')
  .option('--kills <n>', 'how often', Number, 50)
  .action(async ({ kills }: { kills: number }) => {
    end(await killsInCompaction(kills, (line) => console.error(line)));
  });

program
  .command('knowledge-hammer')
  .description('16 writers of one knowledge base in 2 processes that are killed all the time')
  .option('--seconds <n>', 'how long', Number, 600)
  .action(async ({ seconds }: { seconds: number }) => {
    end(await hammerKnowledge(seconds, (line) => console.error(line)));
  });

program
  .command('layers')
  .description(
    'kills the sandbox service, its keeper of layers or its engine under load: a workspace is the one before or after',
  )
  .option('--kills <n>', 'how often', Number, 200)
  .option('--boundaries', 'service and engine at each of their calls instead, one operation after the other')
  .action(({ kills, boundaries = false }: { kills: number; boundaries?: boolean }) => {
    const spec = boundaries ? 'layers/boundaries' : 'layers/kills';
    const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'sandbox', '--testPathPatterns', spec];
    const how = boundaries ? { BOUNDARIES: 'all' } : { RANDOM_KILLS: String(kills) };
    const env = { ...process.env, ...how, TESTCONTAINERS_RYUK_DISABLED: 'true' };
    process.exitCode = spawnSync(process.execPath, jest, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
  });

program
  .command('kill-matrix')
  .description('kills a worker at every boundary between two effects, and the api while it handles an event')
  .option('--table', 'prints the table of docs/safety-proofs.md and does nothing else')
  .option('--events', 'only between the arrival of an event and the first step of its goal')
  .action(async (options: { table?: boolean; events?: boolean }) => {
    if (options.table === true) return console.log(killTable());
    const tell = (line: string): void => console.error(`${Math.round(performance.now() / 1000)} s: ${line}`);
    const { results, ofEvents } = await atKillPlace(async (place) => ({
      results: options.events === true ? [] : await killMatrix(place, KILL_POINTS, tell),
      ofEvents: await intakeKills(place, tell),
    }));
    const again = results.flatMap(({ againMs }) => againMs).toSorted((a, b) => a - b);
    const p50 = again[Math.floor(again.length / 2)] ?? Number.NaN;
    const faults = results.flatMap(({ point, asked, ran, ends, faults: others }) => [
      ...others.map((fault) => `${nameOf(point)}: ${fault}`),
      ...(asked === point.asked && ran === point.ran && ends === point.ends
        ? []
        : [`${nameOf(point)}: asked ${asked}, ran ${ran}, ${ends}`]),
    ]);
    faults.push(...ofEvents.flatMap(({ name, faults: others }) => others.map((fault) => `${name}: ${fault}`)));
    end({
      counts: {
        events: ofEvents.length,
        kills: again.length,
        again_p50_ms: p50,
        again_max_ms: again.at(-1) ?? Number.NaN,
      },
      faults,
    });
  });

await program.parseAsync();

function end(report: { readonly counts: object; readonly faults: readonly string[] }): void {
  console.log(JSON.stringify(report.counts));
  for (const fault of report.faults) console.log(`FAULT ${fault}`);
  console.log(report.faults.length === 0 ? 'no fault' : `${report.faults.length} faults`);
  process.exitCode = report.faults.length === 0 ? 0 : 1;
}
