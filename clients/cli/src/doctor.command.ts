import { doctorApi, healthApi } from '@aish/contracts/endpoints/server';
import { type DoctorCheck } from '@aish/contracts/doctor';
import { VERSION, type Health } from '@aish/contracts/health';
import { span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { writeJson, writeLines } from '@aish/client/io';

const MARKS = { ok: ['✓', 'good'], off: ['·', 'dim'], warning: ['!', 'warn'], error: ['✗', 'bad'] } as const;

export const doctor = behaviour({
  options: { health: flag('show only whether the server is up (needs no token)') },
  json: 'print the findings',
  examples: ['aish doctor', 'aish doctor --health --json | jq .status'],
  exits: { 0: 'no problems', 1: 'problems found, or the server is down' },
  run: async ({ options, io, connect, exit }) => {
    const { client, address } = connect();
    const health = await client.call(healthApi.check, {}, io.signal);
    if (options.health === true) {
      if (health.status === 'down') exit(EXIT.refused);
      return options.json ? writeJson(io, health) : writeLines(io, healthLines(health));
    }
    const report = await client.call(doctorApi.examine, {}, io.signal);
    const here: DoctorCheck =
      health.version === VERSION
        ? { name: 'client', state: 'ok', detail: `aish ${VERSION}, server ${address.url}`, advice: null }
        : {
            name: 'client',
            state: 'warning',
            detail: `aish ${VERSION}, but the server is ${health.version}`,
            advice: 'Install the client with the server’s version: aish upgrade --check',
          };
    const checks = [here, ...report.checks];
    if (!report.ok) exit(EXIT.refused);
    if (options.json) return writeJson(io, { ok: report.ok, checks });
    const width = Math.max(...checks.map(({ name }) => name.length));
    writeLines(
      io,
      checks.flatMap(({ name, state, detail, advice }): Line[] => {
        const [mark, style] = MARKS[state];
        const found: Line = [
          span(`${mark} `, style),
          span(`${oneLine(name).padEnd(width)}  `, 'bold'),
          span(oneLine(detail)),
        ];
        return advice === null ? [found] : [found, [span(`${' '.repeat(width + 4)}${oneLine(advice)}`, style)]];
      }),
    );
  },
});

function healthLines({ status, version, checks }: Health): readonly Line[] {
  return [
    [span(status, status === 'ok' ? 'good' : 'warn'), span(`  aish ${oneLine(version)}`)],
    ...Object.entries(checks).map(([name, { ok, detail }]): Line => [
      span(`  ${ok ? '✓' : '✗'} ${oneLine(name)}`, ok ? 'good' : 'bad'),
      span(detail === null ? '' : `  ${oneLine(detail)}`, 'dim'),
    ]),
  ];
}
