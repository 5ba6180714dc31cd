import { healthApi } from '@aish/contracts/endpoints/server';
import { VERSION } from '@aish/contracts/health';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { command } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines } from '@aish/client/io';

export const health = command({
  name: 'health',
  about: 'ask the server how it is; needs no token',
  json: 'print the api’s answer',
  examples: ['aish health', 'aish health --json | jq .status'],
  exits: { 1: 'it is down' },
  run: async ({ options, io, connect, exit }) => {
    const { client, address } = connect();
    const health = await client.call(healthApi.check, {}, io.signal);
    if (health.status === 'down') exit(EXIT.refused);
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
  },
});
