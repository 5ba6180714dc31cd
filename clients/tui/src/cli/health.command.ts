import { VERSION } from '@aish/contracts';
import type { Command } from 'commander';
import { span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { connect, type Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { note, writeJson, writeLines } from './io.js';

export function addHealthCommand(program: Command, context: Context): void {
  program
    .command('health')
    .description('ask the server how it is; needs no token; exit code 1 when it is down')
    .option('--json', 'print the api’s answer')
    .action(async (options: { json?: true }, command: Command) => {
      const { io } = context;
      const { client, address } = connect(command, context);
      const health = await client.health(io.signal);
      if (health.status === 'down') context.exit(EXIT.refused);
      if (options.json) return writeJson(io, health);
      const overall: Line = [
        span(health.status, health.status === 'ok' ? 'good' : 'warn'),
        span(`  ${address.url}  aish ${oneLine(health.version)}`),
      ];
      const checks = Object.entries(health.checks).map(([name, { ok, detail }]): Line => [
        span(`  ${ok ? '✓' : '✗'} ${oneLine(name)}`, ok ? 'good' : 'bad'),
        span(detail === null ? '' : `  ${oneLine(detail)}`, 'dim'),
      ]);
      writeLines(io, [overall, ...checks]);
      if (health.version !== VERSION) note(io, `This is aish ${VERSION}; the server is ${oneLine(health.version)}.`);
    });
}
