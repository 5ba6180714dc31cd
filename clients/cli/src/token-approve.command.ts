import { deviceLoginApi } from '@aish/contracts/endpoints/sign-in';
import { createInterface } from 'node:readline/promises';
import { AishError } from '@aish/contracts/problems';
import { Scope } from '@aish/contracts/tokens';
import { formatAge } from '@aish/views/duration.format';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag, one, repeated } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';

export const tokenApprove = behaviour({
  args: { code: one('the code that aish login shows') },
  options: {
    scope: repeated('scope', 'scope to allow; repeatable (default: operate and decide)', '-s'),
    yes: flag('do not ask for confirmation'),
    deny: flag('reject the device'),
  },
  json: 'print the device',
  examples: ['aish token approve BCDF-GHJK', 'aish token approve BCDF-GHJK --scope observe'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const scopes = readScopes(options.scope ?? ['operate', 'decide']);
    const waiting = await client.call(deviceLoginApi.find, { params: { code: args.code } }, io.signal);
    const who = `${oneLine(waiting.name)} at ${oneLine(waiting.address)}, ${formatAge(waiting.createdAt, Date.now())} ago`;
    if (options.yes !== true && options.deny !== true) {
      note(io, `The device calls itself ${who}. Scopes it would get: ${scopes.join(', ')}.`);
      if (io.stdin.isTTY !== true) return note(io, 'Nothing was changed. To approve it: --yes');
      const lines = createInterface({ input: io.stdin, output: process.stderr });
      const answer = await lines.question('Is this device in front of you? y/N ', { signal: io.signal });
      lines.close();
      if (answer.trim().toLowerCase() !== 'y') return note(io, 'Nothing was changed. To reject it: --deny');
    }
    const approve = options.deny !== true;
    const device = await client.call(
      deviceLoginApi.decide,
      { params: { code: args.code }, body: { approve, scopes } },
      io.signal,
    );
    if (options.json) return writeJson(io, device);
    writeLines(io, [line(approve ? `approved: ${who}` : `rejected: ${who}`)]);
  },
});

function readScopes(words: readonly string[]): Scope[] {
  const read = Scope.array().min(1).max(5).safeParse(words);
  if (read.success) return read.data;
  throw new AishError('invalid_body', `A scope must be one of ${Scope.options.join(', ')}`);
}
