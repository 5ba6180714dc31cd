import { Verdict } from '@aish/contracts';
import { giveVerdict } from '../api/goals.api.js';
import { formatVerdict } from '../format/decision.format.js';
import { line } from '../text/line.js';
import { choice, command, one, oneOf, option } from './command.js';
import { writeJson, writeLines } from './io.js';
import { decisionReference } from './reference.js';

export const decide = command({
  name: 'decide',
  about: 'answer a decision; the first verdict wins',
  args: {
    ref: one('d-17, 17 or a UUID', decisionReference, { suggests: 'decision' }),
    verdict: oneOf('run it, go on without it, end the goal, or run something else', Verdict.options),
  },
  options: {
    message: option('text', 'told to the model with skip and edit', { short: '-m' }),
    command: option('command', 'with edit: what to run instead; it is classified anew', { short: '-c' }),
    grant: choice('scope', 'with proceed: for the rest of this goal, this very command or whatever the rule stops', [
      'command',
      'rule',
    ] as const),
  },
  json: 'print the decision',
  examples: [
    'aish decide d-17 proceed',
    'aish decide d-17 proceed --grant rule',
    'aish decide 17 skip -m "use the trash instead"',
    'aish decide 17 edit -c "rm -r build/cache"',
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const { message, command: instead, grant } = options;
    const body = {
      verdict: args.verdict,
      ...(message === undefined ? {} : { message }),
      ...(instead === undefined ? {} : { command: instead }),
      ...(grant === undefined ? {} : { grant }),
    };
    const decision = await giveVerdict(client.transport, args.ref, body, io.signal);
    if (options.json) return writeJson(io, decision);
    writeLines(io, [line(`d-${decision.number}: ${formatVerdict(decision) ?? decision.state}`)]);
  },
});
