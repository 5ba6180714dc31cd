import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { report, table, type Benchmark } from './benchmark.js';

/** Every file `NAME.bench.js` beside this one exports `benchmark`. */
async function load(name: string): Promise<Benchmark> {
  const { benchmark } = (await import(`./${name}.bench.js`)) as { benchmark: Benchmark };
  return benchmark;
}

const names = readdirSync(fileURLToPath(new URL('.', import.meta.url)))
  .flatMap((file) => /^(.+)\.bench\.js$/.exec(file)?.[1] ?? [])
  .toSorted();

const command = new Command('bench')
  .argument('<name>', `one of: ${names.join(', ')}`)
  .option('--json', 'the last line is one JSON object: name, figures, goals, pass')
  .option('--seconds <n>', 'how long, for one that runs for a time: load, footprint', Number)
  .action(async (name: string, { seconds, ...options }: { json?: boolean; seconds?: number }) => {
    if (!names.includes(name)) command.error(`there is no benchmark ${name}; there are ${names.join(', ')}`);
    const benchmark = await load(name);
    console.log(`${benchmark.name}: ${benchmark.about}`);
    const figures = await benchmark.run((line) => console.error(line), seconds === undefined ? {} : { seconds });
    const result = report(benchmark, figures);
    console.log(table(result));
    if (options.json === true) console.log(JSON.stringify(result));
    process.exitCode = result.pass ? 0 : 1;
  });

await command.parseAsync();
