import { Command } from 'commander';
import { fuzzNames, type Fuzz } from './fuzz.js';

const names = fuzzNames();

const command = new Command('fuzz')
  .argument('<name>', `one of: ${names.join(', ')}`)
  .argument('[inputs]', 'how many inputs are made', Number)
  .argument('[seed]', 'the same seed makes the same inputs', Number)
  .action(async (name: string, inputs: number | undefined, seed: number | undefined) => {
    if (!names.includes(name)) command.error(`there is nothing to fuzz called ${name}; there are ${names.join(', ')}`);
    const { fuzz } = (await import(`./${name}.fuzz.js`)) as { fuzz: Fuzz };
    const options = {
      ...fuzz.defaults,
      ...(inputs === undefined ? {} : { inputs }),
      ...(seed === undefined ? {} : { seed }),
    };
    console.log(`${name}: ${fuzz.about}`);
    const { failures, failed, slowestMs, slowest = '' } = await fuzz.run(options);
    for (const failure of failures) console.log(failure);
    console.log(
      `${options.inputs} inputs, seed ${options.seed}: ${failed} failures, slowest ${slowestMs.toFixed(1)} ms of ${options.limitMs}`,
    );
    if (slowest !== '') console.log(`the slowest (${slowest.length} long): ${JSON.stringify(slowest.slice(0, 120))}`);
    process.exitCode = failed === 0 ? 0 : 1;
  });

await command.parseAsync();
