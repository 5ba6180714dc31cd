import { archiveApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import { sessionLine } from '@aish/views/commands/work.commands';
import { line } from '@aish/views/line';
import { behaviour, many, one } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { workplaceReference } from './reference.js';
import { sessionOf } from './session-of.js';

/** The argument of commands that work on goals and chats. */
export const WORK = one('a goal (g4 or 4), a chat (c12), or the UUID of either', workplaceReference, {
  suggests: 'goal',
});

export const isChat = (reference: string): boolean => reference.startsWith('c-');
const called = (reference: string): string => reference.replace(/^c-/, 'c').replace(/^(?=\d+$)/, 'goal ');

const moved = (verb: 'archive' | 'restore', outcome: string) =>
  behaviour({
    args: { ref: WORK },
    json: 'print the goal or the chat',
    examples: [`aish ${verb} g4`, `aish ${verb} c12`],
    run: async ({ args: { ref }, options, io, connect }) => {
      const { client } = connect();
      const [ofGoal, ofChat] =
        verb === 'archive'
          ? ([archiveApi.archiveGoal, archiveApi.archiveSession] as const)
          : ([archiveApi.unarchiveGoal, archiveApi.unarchiveSession] as const);
      const changed = isChat(ref)
        ? await client.call(ofChat, { params: { ref } }, io.signal)
        : await client.call(ofGoal, { params: { ref } }, io.signal);
      if (options.json) return writeJson(io, changed);
      writeLines(io, [line(`${called(ref)} is ${outcome}`)]);
    },
  });

export const archive = moved('archive', 'archived');
export const restore = moved('restore', 'restore it to the lists');

export const remove = behaviour({
  args: { ref: WORK },
  examples: ['aish remove g4', 'aish remove c12'],
  run: async ({ args: { ref }, io, connect }) => {
    const { client } = connect();
    await client.call(isChat(ref) ? sessionsApi.remove : archiveApi.deleteGoal, { params: { ref } }, io.signal);
    note(io, `${called(ref)} was deleted`);
  },
});

export const rename = behaviour({
  args: { ref: WORK, title: many('the new title') },
  json: 'print the chat',
  examples: ['aish rename c12 "the backup of the NAS"'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const ref = isChat(args.ref) ? args.ref : await sessionOf(client, args.ref, io);
    const title = args.title.join(' ');
    const changed = await client.call(sessionsApi.change, { params: { ref }, body: { title } }, io.signal);
    if (options.json) return writeJson(io, changed);
    writeLines(io, [sessionLine({ ...changed, snippet: null })]);
  },
});
