import { schedulesApi } from '@aish/contracts/endpoints/goals';
import type { Schedule } from '@aish/contracts/schedules';
import { formatMoment } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { command, one } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { scheduleReference } from './reference.js';

export const schedulesList = command({
  name: 'schedules list',
  about: 'list the goals that are given again and again',
  json: 'print the api’s answer',
  examples: ['aish schedules list'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(schedulesApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No schedules. Make one: aish norris --every "0 3 * * *" "…"');
    writeLines(io, list.items.map(scheduleLine));
  },
});

export const schedulesDelete = command({
  name: 'schedules delete',
  about: 'end a schedule; the goals that it gave stay',
  args: { ref: one('s2, 2 or a UUID', scheduleReference) },
  json: 'print the schedule',
  examples: ['aish schedules delete s-2'],
  run: async ({ args, options, io, connect }) => {
    const schedule = await connect().client.call(schedulesApi.remove, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, schedule);
    writeLines(io, [line(`schedule s-${schedule.number} is gone`)]);
  },
});

/** `s-2  0 3 * * * UTC  next 2026-11-22 03:00:00  overlap skip  tidy up` */
export function scheduleLine(schedule: Schedule): Line {
  const { number, cron, timezone, overlap, when, nextAt, lastGoalNumber, skipped, goal } = schedule;
  return [
    span(`s-${number}`.padEnd(6), 'bold'),
    span(`${oneLine(cron)} ${oneLine(timezone)}`),
    span(nextAt === null ? '' : `  next ${formatMoment(nextAt)}`),
    span(`  overlap ${overlap}`, 'dim'),
    span(when === 'changed' ? '  told when changed' : '', 'dim'),
    span(goal.trust === 'undoable' ? '  trust undoable' : '', 'warn'),
    span(lastGoalNumber === null ? '' : `  last goal ${lastGoalNumber}`, 'dim'),
    span(skipped === 0 ? '' : `  ${skipped} left out`, 'warn'),
    span(`  ${oneLine(goal.text)}`, 'bold'),
  ];
}
