import { goalsApi } from '@aish/contracts/endpoints/goals';
import { line } from '@aish/views/line';
import { command, one } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { goalReference } from './reference.js';

export const cancel = command({
  name: 'cancel',
  about: 'end a goal now, its running command included',
  args: { ref: one('the goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' }) },
  json: 'print the goal',
  examples: ['aish cancel 4'],
  run: async ({ args, options, io, connect }) => {
    const goal = await connect().client.call(goalsApi.cancel, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, goal);
    writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
  },
});
