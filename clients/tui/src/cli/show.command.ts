import { decisionStory, goalStory } from '../format/story.format.js';
import { command, one } from './command.js';
import { writeJson, writeLines } from './io.js';
import { anyReference } from './reference.js';

export const show = command({
  name: 'show',
  about: 'tell the whole story of a goal: plan, commands, outputs, verdicts, end',
  args: { ref: one('a goal (4 or its UUID), or a decision (d-17)', anyReference, { suggests: 'goal' }) },
  json: 'print the api’s answer',
  examples: ['aish show 4', 'aish show d-17', "aish show 4 --json | jq '.actions[].command'"],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const { type, reference } = args.ref;
    if (type === 'decision') {
      const decision = await client.showDecision(reference, io.signal);
      return options.json ? writeJson(io, decision) : writeLines(io, decisionStory(decision));
    }
    const goal = await client.showGoal(reference, io.signal);
    return options.json ? writeJson(io, goal) : writeLines(io, goalStory(goal));
  },
});
