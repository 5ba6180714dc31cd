import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session, SessionList } from '@aish/contracts/chat';
import type { Decision } from '@aish/contracts/decisions';
import type { Goal } from '@aish/contracts/goals';
import { formatApproval, formatPlace, formatReason } from '../decision.format.js';
import { formatAge } from '../duration.format.js';
import { formatSteps, stateDetail, stateLook } from '../goal.format.js';
import { line, span, type Line } from '../line.js';
import { oneLine, showExact } from '../sanitise.js';
import { resource, verb, words } from './command.js';

const goalState = ({ number, state }: Goal): readonly Line[] => [line(`goal ${number} ${state}`)];

/** The everyday commands. They take g4, c12 or d17, so goals and chats need no verbs of their own. */
const EVERYDAY = resource('', 'work', null, {
  run: {
    ...words('Give aish a goal; it halts before destructive actions', '<goal...>', 'norris', 'goal add'),
    screen: 'give',
  },
  ask: { ...words('Ask the model and print its answer', '[question...]'), screen: 'chats' },
  brief: { ...words('Check all hosts for problems and changes', '[what...]'), screen: 'lab' },
});

const GOALS = resource('goal', 'work', 'goals', {
  list: verb(goalsApi.list, {
    about: 'List goals, newest first',
    short: ['goals'],
    options: {
      state: 'only goals in this state',
      archived: 'only archived goals',
      before: 'only goals before this number (for the next page)',
    },
    lines: ({ items }) => items.map((goal) => goalLine(goal, Date.now())),
    note: ({ items }) => (items.length === 0 ? 'No goals yet. Start one: aish run "…"' : null),
    isFitted: true,
    examples: ['aish goals --state halted', "aish goals --json | jq '.items[0].state'"],
  }),
});

const CHATS = resource('chat', 'work', 'chats', {
  list: words('List or search chats, most recently used first', '[words...]', 'chats'),
  fork: verb(sessionsApi.fork, {
    about: 'Start a new chat from a turn of another chat',
    takes: '<chat>',
    options: { turn: 'last turn to copy (default: all)', title: 'title of the new chat' },
    lines: (session) => [sessionLine({ ...session, snippet: null })],
    examples: ['aish chat fork c12 --turn 4'],
  }),
});

const DECISIONS = resource('decision', 'work', 'decisions', {
  list: verb(decisionsApi.list, {
    about: 'List pending decisions, oldest first',
    short: ['decisions'],
    always: { state: 'pending', limit: 500 },
    lines: ({ items }) => items.map((decision) => decisionLine(decision, Date.now())),
    note: ({ items }) => (items.length === 0 ? 'No pending decisions.' : null),
    examples: ['aish decisions'],
  }),
});

const VERBS = resource('', 'work', null, {
  watch: words('Watch a goal live', '<ref>'),
  show: words('Show the full history of a goal, chat, step or decision', '<ref>'),
  output: words('Print the full output of a command or a tool', '<ref> [handle]'),
  decide: words('Answer a decision', '<ref> <verdict> [words...]'),
  preview: words('Preview the command of a decision', '<ref>'),
  undo: words('Undo the file changes of a command, goal or chat', '[action]'),
  stop: words('Stop a goal, a chat, or everything', '[ref]'),
  pause: verb(goalsApi.pause, {
    about: 'Pause a goal when its running command ends',
    takes: '<goal>',
    options: { stop: 'kill the running command instead of waiting for it' },
    lines: goalState,
    json: 'print the goal',
    examples: ['aish pause g4 --stop'],
  }),
  resume: words('Resume a paused goal, or continue an ended one', '<goal> [words...]'),
  steer: words('Send a message to the model of a running goal', '<goal> <words...>'),
  cancel: verb(goalsApi.cancel, {
    about: 'End a goal now',
    takes: '<goal>',
    lines: goalState,
    json: 'print the goal',
  }),
  set: words('Change the text, trust or access of a goal or chat', '<ref>'),
  rename: words('Rename a chat', '<ref> <title...>'),
  archive: words('Hide a goal or a chat from the lists', '<ref>'),
  restore: words('Restore an archived goal or chat to the lists', '<ref>'),
  remove: words('Delete a goal or a chat with its files', '<ref>'),
  export: words('Export the history of a goal', '<goal> [file]'),
});

const FILES = resource('file', 'work', null, {
  list: words('List a folder of a workspace', '<ref> [path]'),
  pull: words('Download a file of a workspace, or a folder as tar', '<ref> <path> [local]'),
  push: words('Upload a file to a workspace, or unpack a tar there', '<ref> <path> [local]'),
});

const GRANTS = resource('grant', 'work', null, {
  list: words('List the grants of a goal or chat', '<ref>'),
  add: words('Let a tool run without asking in a chat', '<chat> <tool>'),
  remove: words('Remove a grant', '<ref> <grant>'),
});

export const WORK_COMMANDS = [...EVERYDAY, ...GOALS, ...CHATS, ...DECISIONS, ...VERBS, ...FILES, ...GRANTS];

function goalLine(goal: Goal, nowMs: number): Line {
  const detail = stateDetail(goal);
  return [
    span(`${String(goal.number).padStart(4)}  `),
    span(goal.state, stateLook(goal.state).style),
    span(' '.repeat(11 - goal.state.length)),
    span(`${formatSteps(goal).padStart(6)}  ${formatAge(goal.createdAt, nowMs).padStart(4)}  `),
    span(oneLine(goal.text), 'bold'),
    span(detail === '' ? '' : `  ${detail}`, 'dim'),
  ];
}

/** Formats a chat or another session for a list. */
export function sessionLine(item: Session & Pick<SessionList['items'][number], 'snippet'>): Line {
  const state = item.kind === 'goal' ? `goal ${item.goalNumber} ${item.goalState ?? ''}` : (item.state ?? '');
  return [
    span(String(item.number).padStart(5), 'bold'),
    span(`  ${state.padEnd(16)}`, item.state === 'deciding' ? 'warn' : 'dim'),
    span(formatAge(item.updatedAt, Date.now()).padEnd(10), 'dim'),
    span(oneLine(item.title)),
  ];
}

function decisionLine(decision: Decision, nowMs: number): Line {
  return [
    span(`d${decision.number}`.padEnd(5), 'bold'),
    span(`${formatPlace(decision)}  `),
    span(showExact(decision.action).replaceAll('\n', '\\n'), 'guilty'),
    span(`  ${formatReason(decision)}`),
    ...formatApproval(decision).map((each) => span(`  ${each}`, 'warn')),
    span(`  ${formatAge(decision.createdAt, nowMs)}`, 'dim'),
  ];
}
