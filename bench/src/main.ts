import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { isQuick, report, table, type Benchmark, type BenchmarkOptions } from './benchmark.js';

/** Loads a benchmark. Every file `NAME.bench.js` in this folder exports `benchmark`. */
async function load(name: string): Promise<Benchmark> {
  const { benchmark } = (await import(`./${name}.bench.js`)) as { benchmark: Benchmark };
  return benchmark;
}

const names = readdirSync(fileURLToPath(new URL('.', import.meta.url)))
  .flatMap((file) => /^(.+)\.bench\.js$/.exec(file)?.[1] ?? [])
  .toSorted();

const command = new Command('bench')
  .argument('<name>', `one of: ${names.join(', ')}`)
  .argument(
    '[folder]',
    'a folder of data that is not part of the project: permissions, recall, safety; for recall also the address of a model for embeddings',
  )
  .option('--quick', 'a small load: says whether it runs, and nothing about speed')
  .option('--json', 'the last line is one JSON object: name, figures, goals, pass')
  .option('--seconds <n>', 'how long, for one that runs for a time: load, footprint, truth', Number)
  .option('--count <n>', 'how many inputs, for one that makes them: truth; events: years', Number)
  .option('--seed <n>', 'the same seed makes the same inputs: truth', Number)
  .action(
    async (name: string, folder: string | undefined, { json, ...rest }: BenchmarkOptions & { json?: boolean }) => {
      if (!names.includes(name)) command.error(`there is no benchmark ${name}; there are ${names.join(', ')}`);
      const options = folder === undefined ? rest : { ...rest, folder };
      const benchmark = await load(name);
      console.log(`${benchmark.name}: ${benchmark.about}`);
      const figures = await benchmark.run((line) => console.error(line), options);
      const result = report(benchmark, figures, isQuick);
      console.log(table(result));
      if (json === true) console.log(JSON.stringify(result));
      process.exitCode = result.pass ? 0 : 1;
    },
  );

await command.parseAsync();
