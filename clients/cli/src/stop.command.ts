import { goalsApi } from '@aish/contracts/endpoints/goals';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import { GoalState, isTerminal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { askYes } from './ask-yes.js';
import { behaviour, flag, maybe } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { workplaceReference } from './reference.js';

/** The api lists at most this many at once. */
const LIMIT = 500;
const ACTIVE = GoalState.options.filter((state) => state !== 'paused' && !isTerminal(state));

/** A goal or chat that runs or waits, and how to stop it. */
interface Active {
  readonly name: string;
  readonly what: string;
  readonly stop: () => Promise<unknown>;
}

export const stop = behaviour({
  args: {
    ref: maybe('a goal (g4 or 4) or a chat (c12)', { read: workplaceReference, suggests: 'goal' }),
  },
  options: { all: flag('stop every goal and chat, after one confirmation') },
  json: 'print the response as JSON',
  examples: ['aish stop 4', 'aish stop c12', 'aish stop --all'],
  run: async ({ args: { ref }, options, io, connect, exit }) => {
    const { client } = connect();
    if (options.all === true) return stopAll(client, io, exit);
    if (ref === undefined) throw new AishError('invalid_body', 'Name a goal (g4) or a chat (c12), or use --all');
    if (/^c/i.test(ref)) {
      const { stopped } = await client.call(chatApi.stop, { params: { ref } }, io.signal);
      if (options.json) return writeJson(io, { stopped });
      return writeLines(io, [line(stopped ? 'stopped' : 'it had already ended')]);
    }
    const goal = await client.call(goalsApi.pause, { params: { ref }, query: { stop: true } }, io.signal);
    if (options.json) return writeJson(io, goal);
    writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
  },
});

async function stopAll(client: ApiClient, io: Io, exit: (code: typeof EXIT.refused) => void): Promise<void> {
  const active = await listActive(client, io);
  if (active.length === 0) return note(io, 'Nothing is running.');
  const rows = active.map(({ name, what }) => line(`${name}  ${oneLine(what)}`));
  writeLines(io, rows);
  if (!(await askYes(io, active.length === 1 ? 'Stop it?' : `Stop all ${active.length}?`)))
    return note(io, 'Nothing was stopped.');
  for (const { name, stop: stopIt } of active) {
    try {
      await stopIt();
      writeLines(io, [line(`${name} stopped`)]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A goal that ended in the meantime counts as stopped.
      if (error.code === 'goal_ended') continue;
      note(io, `${name}: ${error.code}: ${oneLine(error.message)}`);
      exit(EXIT.refused);
    }
  }
}

async function listActive(client: ApiClient, io: Io): Promise<readonly Active[]> {
  const [chats, ...goals] = await Promise.all([
    client.call(sessionsApi.list, { query: { kind: 'chat', limit: LIMIT } }, io.signal),
    ...ACTIVE.map((state) => client.call(goalsApi.list, { query: { state, limit: LIMIT } }, io.signal)),
  ]);
  return [
    ...goals
      .flatMap(({ items }) => items)
      .map(({ id, number, state, text }) => ({
        name: `goal ${number}`,
        what: `${state}  ${text}`,
        stop: () => client.call(goalsApi.pause, { params: { ref: id }, query: { stop: true } }, io.signal),
      })),
    ...chats.items
      .filter(({ state }) => state !== 'idle')
      .map(({ id, number, title }) => ({
        name: `c${number}`,
        what: title,
        stop: () => client.call(chatApi.stop, { params: { ref: id } }, io.signal),
      })),
  ];
}
