import { goalsApi } from '@aish/contracts/endpoints/goals';
import { behaviour, one } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { followGoal } from './follow-goal.js';
import { goalReference } from './reference.js';

export const watch = behaviour({
  args: { ref: one('the goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' }) },
  json: 'print one JSON object per line; events have a seq, live text has none',
  examples: ['aish watch 4', "aish watch 4 --json | jq -r '.body.type // .type'"],
  exits: {
    [EXIT.notDone]: 'the goal ended without being done',
    [EXIT.halted]: 'the goal is halted and stdin is not a terminal',
  },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const goal = await client.call(goalsApi.show, { params: { ref: args.ref } }, io.signal);
    exit(await followGoal(client, goal, io, { json: options.json }));
  },
});
