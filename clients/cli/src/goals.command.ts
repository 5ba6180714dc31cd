import { goalsApi } from '@aish/contracts/endpoints/goals';
import { GoalState } from '@aish/contracts/goals';
import { formatAge } from '@aish/views/duration.format';
import { formatSteps, stateDetail, stateLook } from '@aish/views/goal.format';
import { span, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, flag, option } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

export const goals = command({
  name: 'goals',
  about: 'list the goals, newest first',
  options: {
    state: choice('state', 'only those in this state', GoalState.options),
    archived: flag('only those that are archived'),
    before: option('number', 'only those before this goal: the next page', { read: wholeNumber }),
  },
  json: 'print the api’s answer',
  examples: ['aish goals --state halted', "aish goals --json | jq '.items[0].state'"],
  run: async ({ options, io, connect }) => {
    const query = {
      ...(options.state === undefined ? {} : { state: options.state }),
      ...(options.archived ? { archived: true } : {}),
      ...(options.before === undefined ? {} : { before: options.before }),
    };
    const list = await connect().client.call(goalsApi.list, { query }, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No goals. Give one: aish norris "…"');
    const nowMs = Date.now();
    const rows = list.items.map((goal): Line => {
      const detail = stateDetail(goal);
      return [
        span(`${String(goal.number).padStart(4)}  `),
        span(goal.state, stateLook(goal.state).style),
        span(' '.repeat(11 - goal.state.length)),
        span(`${formatSteps(goal).padStart(6)}  ${formatAge(goal.createdAt, nowMs).padStart(4)}  `),
        span(oneLine(goal.text), 'bold'),
        span(detail === '' ? '' : `  ${detail}`, 'dim'),
      ];
    });
    const width = io.stdout.isTTY === true ? io.stdout.columns : undefined;
    writeLines(io, width === undefined ? rows : rows.map((row) => fit(row, width)));
  },
});
