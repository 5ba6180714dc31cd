import { eventsApi } from '@aish/contracts/endpoints/events';
import { AddEventRule } from '@aish/contracts/incoming-events';
import { AishError } from '@aish/contracts/problems';
import { goalRequest } from '@aish/views/goal.options';
import { ruleLine } from '@aish/views/commands/automation.commands';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, many, one, option, repeated } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { goalOptions } from './goal-options.js';
import { duration, wholeNumber } from './whole-number.js';

export const eventRule = behaviour({
  args: {
    source: one('the sender, as aish event source named it', (text) => text),
    goal: many('the goal, in plain words'),
  },
  options: {
    match: repeated('path=value', 'only events that have this there, as status=firing; * is any text; can be repeated'),
    key: repeated('path', 'what makes two events the same (default all of it); can be repeated'),
    coolDown: option('time', 'the same event gives no other goal for so long (default 10m)', { read: duration }),
    atMost: option('n', 'goals of this rule open at once (default 3)', { read: wholeNumber }),
    resolved: repeated('path=value', 'an event that says it is over has this there; can be repeated'),
    onResolved: choice('what', 'what its goal is then (default tell)', ['tell', 'cancel'] as const),
    ...goalOptions('space', 'steps', 'preset', 'host', 'verify', 'priority', 'retry', 'retryAfter', 'onFailed'),
  },
  json: 'print the rule',
  examples: [
    'aish event rule add alerts "Find out why {{commonLabels.alertname}} fires on {{commonLabels.instance}}" --match status=firing --key groupKey --resolved status=resolved --host nas',
  ],
  run: async ({ args, options, io, connect }) => {
    const { coolDown: coolDownMs, atMost, onResolved, key, resolved } = options;
    const input = AddEventRule.safeParse({
      source: args.source,
      key: key === undefined ? undefined : [...key],
      coolDownMs,
      atMost,
      onResolved,
      match: pairs(options.match ?? []),
      resolved: resolved === undefined ? undefined : pairs(resolved),
      goal: { text: args.goal.join(' '), ...goalRequest(options) },
    });
    if (!input.success) {
      const [issue] = input.error.issues;
      throw new AishError('invalid_body', `${issue?.path.join(' ') ?? ''}: ${issue?.message ?? ''}`);
    }
    const rule = await connect().client.call(eventsApi.addRule, { body: input.data }, io.signal);
    if (options.json) return writeJson(io, rule);
    writeLines(io, [ruleLine(rule)]);
  },
});

/** `status=firing`, more than once. */
function pairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1) throw new AishError('invalid_body', `${oneLine(text)}: must be PATH=VALUE, as status=firing`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
