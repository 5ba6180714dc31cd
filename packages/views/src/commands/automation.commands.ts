import { eventsApi } from '@aish/contracts/endpoints/events';
import { schedulesApi } from '@aish/contracts/endpoints/goals';
import type { EventRule, ReceivedEvent } from '@aish/contracts/incoming-events';
import type { Schedule } from '@aish/contracts/schedules';
import { formatAge, formatDuration, formatMoment } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { oneLine } from '../sanitise.js';
import { resource, verb, words } from './command.js';

const SCHEDULES = resource('schedule', 'automation', 'schedules', {
  list: verb(schedulesApi.list, {
    about: 'List goals that start on a schedule',
    lines: ({ items }) => items.map(scheduleLine),
    note: ({ items }) => (items.length === 0 ? 'No schedules. Add one: aish schedule add "0 3 * * *" "…"' : null),
  }),
  add: words('Start a goal at fixed times', '<cron> <goal...>'),
  remove: verb(schedulesApi.remove, {
    about: 'Remove a schedule; its goals stay',
    takes: '<schedule>',
    lines: ({ number }) => [line(`schedule s${number} was removed`)],
    json: 'print the schedule',
  }),
});

const RUNBOOKS = resource('runbook', 'automation', null, {
  list: words('List runbooks, or the changes that models propose'),
  show: words('Show a runbook, or a proposal (p3) as a diff', '<name>'),
  run: words('Start a goal that follows a runbook', '<name> [parameters...]'),
  import: words('Check a runbook folder and import it', '<folder>'),
  accept: words('Accept a proposal (p3), or what a runbook asks to use', '<name>'),
  reject: words('Reject a proposal; it is not proposed again', '<proposal>'),
});

const SOURCES = resource('event source', 'automation', 'events', {
  list: verb(eventsApi.sources, {
    about: 'List event sources',
    lines: ({ items }) =>
      items.map(({ name, proof, createdBy, createdAt }): Line => [
        span(name.padEnd(20), 'bold'),
        span(` ${proof.padEnd(18)}`),
        span(`added by ${oneLine(createdBy)} ${formatAge(createdAt, Date.now())} ago`, 'dim'),
      ]),
    note: ({ items }) => (items.length === 0 ? 'No event sources. Add one: aish event source add alerts' : null),
  }),
  add: words('Add an event source; prints its address and secret once', '<name>'),
  remove: verb(eventsApi.removeSource, {
    about: 'Remove an event source with its rules and events',
    takes: '<source>',
    note: ({ name }) => `${name} was removed`,
  }),
});

const RULES = resource('event rule', 'automation', 'events', {
  list: verb(eventsApi.rules, {
    about: 'List event rules in the order in which aish tries them',
    lines: ({ items }) => items.map(ruleLine),
    note: ({ items }) => (items.length === 0 ? 'No rules. Add one: aish event rule add alerts "…"' : null),
  }),
  add: words('Add a rule that starts a goal for matching events', '<source> <goal...>'),
  remove: verb(eventsApi.removeRule, {
    about: 'Remove an event rule; its goals stay',
    takes: '<rule>',
    lines: ({ number }) => [line(`rule r${number} was removed`)],
  }),
});

const EVENTS = resource('event', 'automation', 'events', {
  list: verb(eventsApi.list, {
    about: 'List incoming events, newest first',
    options: { source: 'only events from this source', limit: 'number of events (default: 20)' },
    lines: ({ items }) => items.map(eventLine),
    note: ({ items }) => (items.length === 0 ? 'No events yet' : null),
    examples: ['aish event list --source alerts --limit 5'],
  }),
  show: verb(eventsApi.find, {
    about: 'Show an incoming event with its full content',
    takes: '<event>',
    lines: (event) => [
      eventLine(event),
      ...JSON.stringify(event.body, null, 2)
        .split('\n')
        .map((text) => line(oneLine(text))),
    ],
  }),
  replay: words('Process an event again with the current rules', '<event>'),
});

export const AUTOMATION_COMMANDS = [...SCHEDULES, ...RUNBOOKS, ...EVENTS, ...SOURCES, ...RULES];

/** Formats a schedule: `s-2  0 3 * * * UTC  next 2026-11-22 03:00:00  overlap skip  tidy up`. */
export function scheduleLine(schedule: Schedule): Line {
  const { number, cron, timezone, overlap, when, nextAt, lastGoalNumber, skipped, goal } = schedule;
  return [
    span(`s${number}`.padEnd(6), 'bold'),
    span(`${oneLine(cron)} ${oneLine(timezone)}`),
    span(nextAt === null ? '' : `  next ${formatMoment(nextAt)}`),
    span(`  overlap ${overlap}`, 'dim'),
    span(when === 'changed' ? '  notifies only on change' : '', 'dim'),
    span(goal.trust === 'undoable' ? '  trust undoable' : '', 'warn'),
    span(lastGoalNumber === null ? '' : `  last goal ${lastGoalNumber}`, 'dim'),
    span(skipped === 0 ? '' : `  ${skipped} skipped`, 'warn'),
    span(`  ${oneLine(goal.text)}`, 'bold'),
  ];
}

/** `e4  2026-11-22 03:00:00  alerts  r2  goal 17  repeated 12 times` */
function eventLine(event: ReceivedEvent): Line {
  const { number, receivedAt, source, rule, outcome, goal, repeats, resolvedAt } = event;
  return [
    span(`e${number}`.padEnd(7), 'bold'),
    span(`${formatMoment(receivedAt)}  ${source}`),
    span(rule === null ? '' : `  r${rule}`),
    span(goal === null ? `  ${outcome}` : `  goal ${goal}`, 'bold'),
    span(repeats === 0 ? '' : `  repeated ${repeats} times`, 'warn'),
    span(resolvedAt === null ? '' : '  resolved', 'dim'),
  ];
}

/** `r2  alerts  status=firing  key groupKey  once per 10m  at most 3  look at {{title}}` */
export function ruleLine({
  number,
  source,
  match,
  key,
  coolDownMs,
  atMost,
  resolved,
  onResolved,
  goal,
}: EventRule): Line {
  const shown = (pairsOf: Readonly<Record<string, string>>): string =>
    Object.entries(pairsOf).map(([path, value]) => `${path}=${value}`).join(' '); // prettier-ignore
  return [
    span(`r${number}`.padEnd(5), 'bold'),
    span(`${source}  ${oneLine(shown(match)) || 'all events'}`),
    span(key.length === 0 ? '' : `  key ${key.join(' ')}`, 'dim'),
    span(`  once per ${formatDuration(coolDownMs)}  at most ${atMost}`, 'dim'),
    span(resolved === null ? '' : `  resolved by ${oneLine(shown(resolved))}: ${onResolved}`, 'dim'),
    span(`  ${oneLine(goal.text)}`, 'bold'),
  ];
}
