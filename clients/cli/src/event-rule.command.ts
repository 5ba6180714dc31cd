import { eventsApi } from '@aish/contracts/endpoints/events';
import { AddEventRule, type EventRule } from '@aish/contracts/incoming-events';
import { AishError } from '@aish/contracts/problems';
import { formatDuration } from '@aish/views/duration.format';
import { goalRequest } from '@aish/views/goal.options';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, many, one, option, repeated } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { eventRuleReference } from './reference.js';
import { goalOptions } from './goal-options.js';
import { duration, wholeNumber } from './whole-number.js';

export const eventRule = command({
  name: 'event rule',
  about: 'say which goal the events of a sender give; {{path}} in it is what stands there, in quotes',
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
    'aish event rule alerts "Find out why {{commonLabels.alertname}} fires on {{commonLabels.instance}}" --match status=firing --key groupKey --resolved status=resolved --host nas',
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

export const eventRules = command({
  name: 'event rules',
  about: 'list what events give, in the order in which it is tried',
  json: 'print the api’s answer',
  examples: ['aish event rules'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(eventsApi.rules, {}, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No rules. Make one: aish event rule alerts "…"');
    writeLines(io, list.items.map(ruleLine));
  },
});

export const eventDrop = command({
  name: 'event drop',
  about: 'end a rule; its goals stay',
  args: { ref: one('r2, 2 or a UUID', eventRuleReference) },
  json: 'print what it was',
  examples: ['aish event drop r2'],
  run: async ({ args, options, io, connect }) => {
    const rule = await connect().client.call(eventsApi.removeRule, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, rule);
    writeLines(io, [line(`rule r${rule.number} is gone`)]);
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

/** `r2  alerts  status=firing  key groupKey  once in 10m  at most 3  look at {{title}}` */
function ruleLine({ number, source, match, key, coolDownMs, atMost, resolved, onResolved, goal }: EventRule): Line {
  const shown = (pairsOf: Readonly<Record<string, string>>): string =>
    Object.entries(pairsOf).map(([path, value]) => `${path}=${value}`).join(' '); // prettier-ignore
  return [
    span(`r${number}`.padEnd(5), 'bold'),
    span(`${source}  ${oneLine(shown(match)) || 'all events'}`),
    span(key.length === 0 ? '' : `  key ${key.join(' ')}`, 'dim'),
    span(`  once in ${formatDuration(coolDownMs)}  at most ${atMost}`, 'dim'),
    span(resolved === null ? '' : `  over with ${oneLine(shown(resolved))}: ${onResolved}`, 'dim'),
    span(`  ${oneLine(goal.text)}`, 'bold'),
  ];
}
