import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import { sessionLine } from '@aish/views/commands/work.commands';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { any, behaviour, choice, flag, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

export const chatList = behaviour({
  args: { words: any('words, or their beginnings, in titles and turns') },
  options: {
    kind: choice('kind', 'chats, sessions of goals, or both (default: chat)', ['chat', 'goal', 'all'] as const),
    limit: option('n', 'number of chats (default: 50)', { read: wholeNumber }),
    archived: flag('show only archived chats'),
  },
  json: 'print the response as JSON',
  examples: ['aish chats', 'aish chats backup restic', 'aish chat list --kind all --json'],
  run: async ({ args, options, io, connect }) => {
    const { kind = 'chat', limit, archived } = options;
    const q = args.words.length === 0 ? undefined : args.words.join(' ');
    const query = { q, limit, archived, kind: kind === 'all' ? undefined : kind };
    const list = await connect().client.call(sessionsApi.list, { query }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.flatMap((item) => [
        sessionLine(item),
        ...(item.snippet === null ? [] : [line(`      ${oneLine(item.snippet)}`, 'dim')]),
      ]),
    );
  },
});
