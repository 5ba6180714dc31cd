import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { undoApi } from '@aish/contracts/endpoints/files';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { UndoPreview } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import type { ApiClient } from '@aish/client/api.client';
import { oneLine, showExact } from '@aish/views/sanitise';
import { directLines, previewLines, size } from '@aish/views/preview.lines';
import { behaviour, flag, maybe, one, option } from './command.js';
import { LineAsker } from './ask-line.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { decisionReference, workplaceReference } from './reference.js';
import { sessionOf } from './session-of.js';

export const preview = behaviour({
  args: { ref: one('d17, 17 or a UUID', decisionReference, { suggests: 'decision' }) },
  json: 'print the api’s answer',
  examples: ['aish preview d-17'],
  run: async ({ args, options, io, connect }) => {
    const tried = await connect().client.call(undoApi.preview, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, tried);
    if (tried.id === null) return writeLines(io, previewLines(tried));
    const ref = /^\d+$/.test(args.ref) ? `d-${args.ref}` : args.ref;
    writeLines(io, previewLines(tried, `To keep this run: aish decide ${ref} proceed --preview ${tried.id}`));
  },
});

export const undo = behaviour({
  args: {
    action: maybe(
      'the decision that let it through (d17), its step (4.3, of a chat c5.2), or its UUID as aish undo g4 --list shows it; g4 or c5: all that it did; without: the newest there is',
      { read: actionReference, suggests: 'decision' },
    ),
  },
  options: {
    list: flag('list what can be undone in a goal (g4) or chat (c12), newest first'),
    goal: option('goal', 'the newest of this goal (g4), or chat (c12)', { read: workplaceReference, suggests: 'goal' }),
    only: flag('take back what that action did and nothing else; refused where others touched the same files since'),
    dryRun: flag('say what would come back and what would be lost, and do nothing'),
    yes: flag('do not ask', '-y'),
  },
  json: 'print the snapshot, or what would be done',
  examples: [
    'aish undo d-17',
    'aish undo 4.3 --dry-run',
    'aish undo 4.3 --only',
    'aish undo g4 --dry-run',
    'aish undo --goal 4 --yes',
    'aish undo g4 --list',
    'aish undo 7b0c3f1e-6f57-4d1c-9a53-0b8f6d3d6c11',
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    if (options.list) return list(client, options.goal, args.action, options.json, io);
    const actionId =
      args.action === undefined
        ? await newestAction(client, options.goal, io)
        : await actionOf(client, args.action, io);
    const scope = { only: options.only === true };
    if (options.dryRun || !options.yes) {
      const preview = await client.call(
        undoApi.previewUndo,
        { params: { id: actionId }, query: { only: scope.only } },
        io.signal,
      );
      if (options.dryRun && options.json) return writeJson(io, preview);
      for (const each of undoLines(preview)) note(io, each);
      for (const name of preview.direct)
        note(io, `Not taken back: what was done in ${oneLine(name)}, a folder of the host with mode direct.`);
      if (options.dryRun || preview.touched.length > 0 || !(await isWanted(io))) return;
    }
    const snapshot = await client.call(
      undoApi.undo,
      { params: { id: actionId }, query: { only: scope.only } },
      io.signal,
    );
    if (options.json) return writeJson(io, snapshot);
    writeLines(io, [
      line(
        scope.only
          ? 'what that command did is taken back; what was done since is there still'
          : `the workspace is as it was at ${snapshot.createdAt}`,
      ),
      ...directLines(snapshot.direct, 'what was done there stays'),
      ...snapshot.onHosts.map(({ host, command: ran, rollback }) =>
        line(
          `not taken back on ${host}: ${oneLine(ran)}; ${rollback === null ? 'there is no snapshot of it' : `this takes it back, with all that changed since: ${oneLine(rollback)}`}`,
          'warn',
        ),
      ),
    ]);
  },
});

async function list(
  client: ApiClient,
  goal: string | undefined,
  action: ActionReference | undefined,
  json: boolean,
  io: Io,
): Promise<void> {
  const place = goal ?? (action?.type === 'all' || action?.type === 'action' ? action.id : undefined);
  if (place === undefined) throw new AishError('invalid_body', 'Name a goal or a chat: aish undo g4 --list');
  const ref = await sessionOf(client, place, io);
  const found = await client.call(undoApi.listOfSession, { params: { ref } }, io.signal);
  if (json) return writeJson(io, found);
  if (found.items.length === 0) return note(io, 'There is no snapshot of it.');
  const nowMs = Date.now();
  writeLines(
    io,
    found.items.map((each): Line => [
      span(each.actionId, 'bold'),
      span(`  step ${each.stepNumber}  ${size(each.sizeBytes)}  ${formatAge(each.createdAt, nowMs)}  `, 'dim'),
      span(showExact(each.command).replaceAll('\n', '\\n'), 'guilty'),
    ]),
  );
}

async function isWanted(io: Io): Promise<boolean> {
  const asker = new LineAsker(io);
  const answer = await asker.ask('put the workspace back? [y/N] ');
  asker.close();
  if (answer !== null && /^y(?:es)?$/i.test(answer.trim())) return true;
  note(io, 'nothing undone');
  return false;
}

/** What would be lost comes first. */
function undoLines({ effects, touched }: UndoPreview): readonly string[] {
  if (touched.length > 0) {
    return ['It cannot be taken back. Others have touched since:', ...touched.map((path) => `  ${oneLine(path)}`)];
  }
  if (effects === null) return ['A copy of the workspace would be put back; what was done since is lost.'];
  const { created, changed, deleted, complete } = effects;
  const share = (what: string, { files, bytes, paths }: typeof created) => [
    ...(files === 0 ? [] : [`${what}: ${files} ${files === 1 ? 'file' : 'files'}, ${size(bytes)}`]),
    ...paths.map((path) => `  ${oneLine(path)}`),
    ...(files > paths.length ? [`  and ${files - paths.length} more`] : []),
  ];
  const lines = [
    ...share('lost', deleted),
    ...share('as before', changed),
    ...share('back again', created),
    ...(complete ? [] : ['There is more: it could not all be counted.']),
  ];
  return lines.length === 0 ? ['No file would change.'] : lines;
}

async function actionOf(client: ApiClient, action: ActionReference, io: Io): Promise<string> {
  if (action.type === 'action') return action.id;
  if (action.type === 'all') return oldestAction(client, action.id, io);
  if (action.type === 'step') {
    const { items } = await client.call(
      undoApi.listOfSession,
      { params: { ref: await sessionOf(client, action.id, io) } },
      io.signal,
    );
    // The newest comes first; what a step did last is taken back first.
    const found = items.find(({ stepNumber }) => stepNumber === action.step);
    if (found !== undefined) return found.actionId;
    throw new AishError('snapshot_not_found', `Step ${action.step} of ${action.id} has nothing to take back`);
  }
  const { actionId } = await client.call(decisionsApi.show, { params: { ref: action.id } }, io.signal);
  if (actionId === null) throw new AishError('invalid_body', `Decision d-${action.id} is about no command`);
  return actionId;
}

/** The first that can be taken back, and with it all since; says how far back that is. */
async function oldestAction(client: ApiClient, place: string, io: Io): Promise<string> {
  const oldest = (
    await client.call(undoApi.listOfSession, { params: { ref: await sessionOf(client, place, io) } }, io.signal)
  ).items.at(-1);
  if (oldest === undefined) throw new AishError('snapshot_not_found', 'There is nothing to take back');
  const { actionId, stepNumber, command: ran } = oldest;
  note(io, `Back to before step ${stepNumber}, the first that can be taken back: ${oneLine(showExact(ran))}`);
  return actionId;
}

/** Of a goal or chat, or of the one that was worked on last and has something to take back. */
async function newestAction(client: ApiClient, goal: string | undefined, io: Io): Promise<string> {
  const sessions = goal === undefined ? await recentSessions(client, io.signal) : [await sessionOf(client, goal, io)];
  for (const sessionId of sessions) {
    const [newest] = (await client.call(undoApi.listOfSession, { params: { ref: sessionId } }, io.signal)).items;
    if (newest !== undefined) return newest.actionId;
  }
  throw new AishError('snapshot_not_found', 'There is nothing to take back');
}

/** Of goals and chats, the one used last first. */
async function recentSessions(client: ApiClient, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await client.call(sessionsApi.list, { query: { limit: RECENT_SESSIONS } }, signal);
  return items.map(({ id }) => id);
}

const RECENT_SESSIONS = 20;

type ActionReference =
  | { readonly type: 'action' | 'decision' | 'all'; readonly id: string }
  | { readonly type: 'step'; readonly id: string; readonly step: number };

function actionReference(text: string): ActionReference {
  const [, place, step] = /^((?:[gc]-?)?[1-9]\d{0,8})\.([1-9]\d{0,5})$/i.exec(text) ?? [];
  if (place !== undefined) return { type: 'step', id: workplaceReference(place), step: Number(step) };
  if (z.uuid().safeParse(text).success) return { type: 'action', id: text };
  const number = /^d-?(\d+)$/i.exec(text)?.[1];
  if (number !== undefined) return { type: 'decision', id: number };
  if (/^[gc]-?[1-9]\d{0,8}$/i.test(text)) return { type: 'all', id: workplaceReference(text) };
  throw new InvalidArgumentError(
    'An action is named by its decision (d17), its step (4.3 or c5.2) or its UUID; all of a goal or chat by its name (g4, c5).',
  );
}
