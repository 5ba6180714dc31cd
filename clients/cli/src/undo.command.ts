import { plural } from '@aish/contracts/plural';
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
import { directLines, previewLines, size, snapshotPlace } from '@aish/views/preview.lines';
import { behaviour, flag, maybe, one, option } from './command.js';
import { LineAsker } from './ask-line.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { decisionReference, workplaceReference } from './reference.js';
import { sessionOf } from './session-of.js';

export const preview = behaviour({
  args: { ref: one('d17, 17 or a UUID', decisionReference, { suggests: 'decision' }) },
  json: 'print the response as JSON',
  examples: ['aish preview d17'],
  run: async ({ args, options, io, connect }) => {
    const tried = await connect().client.call(undoApi.preview, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, tried);
    if (tried.id === null) return writeLines(io, previewLines(tried));
    const ref = /^\d+$/.test(args.ref) ? `d${args.ref}` : args.ref;
    writeLines(io, previewLines(tried, `To keep this run: aish decide ${ref} proceed --preview ${tried.id}`));
  },
});

export const undo = behaviour({
  args: {
    action: maybe(
      'a decision (d17), step (4.3, c5.2) or UUID; a goal (g4) or chat (c5) for all of it (default: the newest action)',
      { read: actionReference, suggests: 'decision' },
    ),
  },
  options: {
    list: flag('list what can be undone in a goal (g4) or chat (c12), newest first'),
    goal: option('goal', 'undo the newest action of this goal (g4) or chat (c12)', {
      read: workplaceReference,
      suggests: 'goal',
    }),
    only: flag('undo only this action; refused if later actions changed its files'),
    dryRun: flag('only show what would be restored and lost'),
    yes: flag('do not ask for confirmation', '-y'),
  },
  json: 'print the snapshot or the preview',
  examples: [
    'aish undo d17',
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
        note(io, `Not undone: changes in ${oneLine(name)}, because commands write to this host folder directly.`);
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
          ? 'the changes of that command were undone; later changes stay'
          : `the workspace is as it was at ${snapshot.createdAt}`,
      ),
      ...directLines(snapshot.direct, 'changes there stay'),
      ...snapshot.onHosts.map(({ host, command: ran, rollback }) =>
        line(
          `not undone on ${host}: ${oneLine(ran)}; ${rollback === null ? 'there is no snapshot' : `this restores the snapshot and drops all later changes: ${oneLine(rollback)}`}`,
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
  if (found.items.length === 0) return note(io, 'It has no snapshots.');
  const nowMs = Date.now();
  writeLines(
    io,
    found.items.map((each): Line => [
      span(each.actionId, 'bold'),
      span(`  ${snapshotPlace(each)}  ${size(each.sizeBytes)}  ${formatAge(each.createdAt, nowMs)}  `, 'dim'),
      span(showExact(each.command).replaceAll('\n', '\\n'), 'guilty'),
    ]),
  );
}

async function isWanted(io: Io): Promise<boolean> {
  const asker = new LineAsker(io);
  const answer = await asker.ask('restore the workspace? [y/N] ');
  asker.close();
  if (answer !== null && /^y(?:es)?$/i.test(answer.trim())) return true;
  note(io, 'nothing undone');
  return false;
}

/** Shows the losses of an undo before it happens. */
function undoLines({ effects, touched }: UndoPreview): readonly string[] {
  if (touched.length > 0) {
    return ['It cannot be undone. Later changes to the same files:', ...touched.map((path) => `  ${oneLine(path)}`)];
  }
  if (effects === null) return ['A copy of the workspace would be restored; later changes would be lost.'];
  const { created, changed, deleted, complete } = effects;
  const share = (what: string, { files, bytes, paths }: typeof created) => [
    ...(files === 0 ? [] : [`${what}: ${plural(files, 'file')}, ${size(bytes)}`]),
    ...paths.map((path) => `  ${oneLine(path)}`),
    ...(files > paths.length ? [`  and ${files - paths.length} more`] : []),
  ];
  const lines = [
    ...share('lost', deleted),
    ...share('restored', changed),
    ...share('recreated', created),
    ...(complete ? [] : ['The list is incomplete: not all changes could be counted.']),
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
    // The newest snapshot comes first, because a step's last action is undone first.
    const found = items.find(({ stepNumber }) => stepNumber === action.step);
    if (found !== undefined) return found.actionId;
    throw new AishError('snapshot_not_found', `Step ${action.step} of ${action.id} has nothing to undo`);
  }
  const { actionId } = await client.call(decisionsApi.show, { params: { ref: action.id } }, io.signal);
  if (actionId === null) throw new AishError('invalid_body', `Decision d${action.id} is not about a command`);
  return actionId;
}

/** Returns the oldest action that can be undone. Everything after it is undone too. Prints how far back that is. */
async function oldestAction(client: ApiClient, place: string, io: Io): Promise<string> {
  const oldest = (
    await client.call(undoApi.listOfSession, { params: { ref: await sessionOf(client, place, io) } }, io.signal)
  ).items.at(-1);
  if (oldest === undefined) throw new AishError('snapshot_not_found', 'There is nothing to undo');
  const { actionId, command: ran } = oldest;
  note(
    io,
    `Undoing everything from ${snapshotPlace(oldest)} on, the first that can be undone: ${oneLine(showExact(ran))}`,
  );
  return actionId;
}

/** Returns the newest action of the goal or chat, or of the most recently used one with something to undo. */
async function newestAction(client: ApiClient, goal: string | undefined, io: Io): Promise<string> {
  const sessions = goal === undefined ? await recentSessions(client, io.signal) : [await sessionOf(client, goal, io)];
  for (const sessionId of sessions) {
    const [newest] = (await client.call(undoApi.listOfSession, { params: { ref: sessionId } }, io.signal)).items;
    if (newest !== undefined) return newest.actionId;
  }
  throw new AishError('snapshot_not_found', 'There is nothing to undo');
}

/** Returns goals and chats, most recently used first. */
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
    'Name an action by its decision (d17), its step (4.3 or c5.2) or its UUID. Name a goal or chat for all its actions (g4, c5).',
  );
}
