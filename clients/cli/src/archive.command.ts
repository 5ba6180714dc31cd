import { archiveApi } from '@aish/contracts/endpoints/sessions';
import { line } from '@aish/views/line';
import { command, one } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { goalReference, sessionReference } from './reference.js';

const goal = () => one('the goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' });
const session = () => one('a session: c12, 12 or its UUID', sessionReference, { suggests: 'session' });

const goalCommand = (name: string, about: string, archived: boolean) =>
  command({
    name,
    about,
    args: { ref: goal() },
    json: 'print the goal',
    examples: [`aish ${name} 4`],
    run: async ({ args, options, io, connect }) => {
      const changed = await connect().client.call(
        archived ? archiveApi.archiveGoal : archiveApi.unarchiveGoal,
        { params: { ref: args.ref } },
        io.signal,
      );
      if (options.json) return writeJson(io, changed);
      writeLines(io, [line(`goal ${changed.number} is ${archived ? 'archived' : 'in the list again'}`)]);
    },
  });

const sessionCommand = (name: string, about: string, archived: boolean) =>
  command({
    name: `sessions ${name}`,
    about,
    args: { session: session() },
    json: 'print the session',
    examples: [`aish sessions ${name} 12`],
    run: async ({ args, options, io, connect }) => {
      const changed = await connect().client.call(
        archived ? archiveApi.archiveSession : archiveApi.unarchiveSession,
        { params: { ref: args.session } },
        io.signal,
      );
      if (options.json) return writeJson(io, changed);
      writeLines(io, [line(`session ${changed.number} is ${archived ? 'archived' : 'in the list again'}`)]);
    },
  });

export const archive = goalCommand('archive', 'leave a goal that has ended out of the lists', true);
export const unarchive = goalCommand('unarchive', 'have lists show a goal again', false);

export const deleteCommand = command({
  name: 'delete',
  about: 'delete a goal that has ended, with its record and its workspace',
  args: { ref: goal() },
  examples: ['aish delete 4'],
  run: async ({ args, io, connect }) => {
    await connect().client.call(archiveApi.deleteGoal, { params: { ref: args.ref } }, io.signal);
    note(io, `goal ${args.ref} is deleted`);
  },
});

export const sessionsArchive = sessionCommand(
  'archive',
  'leave a session out of the lists, and the goal it is of; a new message brings a chat back',
  true,
);
export const sessionsUnarchive = sessionCommand('unarchive', 'have lists show a session again', false);
