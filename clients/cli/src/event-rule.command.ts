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
    source: one('name of the event source (see aish event source list)', (text) => text),
    goal: many('the goal in plain words'),
  },
  options: {
    match: repeated(
      'path=value',
      'match events with this field, such as status=firing (* matches any text); repeatable',
    ),
    key: repeated('path', 'field that identifies equal events (default: the whole event); repeatable'),
    coolDown: option('time', 'ignore equal events for this long (default: 10m)', { read: duration }),
    atMost: option('n', 'maximum number of open goals from this rule (default: 3)', { read: wholeNumber }),
    resolved: repeated('path=value', 'a field that marks an event as resolved; repeatable'),
    onResolved: choice('what', 'what happens to its goal then (default: tell)', ['tell', 'cancel'] as const),
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

/** Parses pairs such as `status=firing`. The option can be repeated. */
function pairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new AishError(
          'invalid_body',
          `${oneLine(text)} is not a condition. Write it as PATH=VALUE, such as status=firing`,
        );
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
