import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { formatApproval, formatPlace, formatReason } from '@aish/views/decision.format';
import { formatAge } from '@aish/views/duration.format';
import { span, type Line } from '@aish/views/line';
import { showExact } from '@aish/views/sanitise';
import { command } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';

export const decisions = command({
  name: 'decisions',
  about: 'list the decisions that wait for a verdict, oldest first',
  json: 'print the api’s answer',
  examples: ['aish decisions', 'aish decide d-17 skip --message "keep the logs"'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(decisionsApi.list, { query: { state: 'pending', limit: 500 } }, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'Nothing waits for a verdict.');
    const nowMs = Date.now();
    writeLines(
      io,
      list.items.map((decision): Line => [
        span(`d-${decision.number}`.padEnd(6), 'bold'),
        span(`${formatPlace(decision)}  `),
        span(showExact(decision.action).replaceAll('\n', '\\n'), 'guilty'),
        span(`  ${formatReason(decision)}`),
        ...formatApproval(decision).map((each) => span(`  ${each}`, 'warn')),
        span(`  ${formatAge(decision.createdAt, nowMs)}`, 'dim'),
      ]),
    );
  },
});
