import { digestApi } from '@aish/contracts/endpoints/goals';
import { digestText } from '@aish/contracts/digest';
import { line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { command, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

export const digest = command({
  name: 'digest',
  about: 'what happened in the last days: goals, HALTs, files, hosts, tokens',
  options: { days: option('n', 'so many days, 31 at most (default 7)', { read: wholeNumber }) },
  json: 'print the api’s answer',
  examples: ['aish digest', 'aish digest --days 1'],
  run: async ({ options, io, connect }) => {
    const happened = await connect().client.call(digestApi.show, { query: { days: options.days ?? 7 } }, io.signal);
    if (options.json) return writeJson(io, happened);
    const lines = cleanText(digestText(happened)).split('\n');
    writeLines(
      io,
      lines.map((text) => line(text, text !== '' && !/^ *-/.test(text) ? 'bold' : 'plain')),
    );
  },
});
