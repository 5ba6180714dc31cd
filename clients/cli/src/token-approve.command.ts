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
  args: { code: one('the code, as aish login shows it') },
  options: {
    scope: repeated('scope', 'what it may do, can be repeated (default operate and decide)', '-s'),
    yes: flag('do not ask'),
    deny: flag('say no'),
  },
  json: 'print the device',
  examples: ['aish token approve BCDF-GHJK', 'aish token approve BCDF-GHJK --scope observe'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const scopes = readScopes(options.scope ?? ['operate', 'decide']);
    const waiting = await client.call(deviceLoginApi.find, { params: { code: args.code } }, io.signal);
    const who = `${oneLine(waiting.name)} at ${oneLine(waiting.address)}, ${formatAge(waiting.createdAt, Date.now())} ago`;
    if (options.yes !== true && options.deny !== true) {
      note(io, `It calls itself ${who}. It may then: ${scopes.join(', ')}.`);
      if (io.stdin.isTTY !== true) return note(io, 'Nothing is done yet. To let it in: --yes');
      const lines = createInterface({ input: io.stdin, output: process.stderr });
      const answer = await lines.question('Is it in front of you? y/N ', { signal: io.signal });
      lines.close();
      if (answer.trim().toLowerCase() !== 'y') return note(io, 'Nothing is done; --deny tells it so');
    }
    const approve = options.deny !== true;
    const device = await client.call(
      deviceLoginApi.decide,
      { params: { code: args.code }, body: { approve, scopes } },
      io.signal,
    );
    if (options.json) return writeJson(io, device);
    writeLines(io, [line(approve ? `let in: ${who}` : `told no: ${who}`)]);
  },
});

function readScopes(words: readonly string[]): Scope[] {
  const read = Scope.array().min(1).max(5).safeParse(words);
  if (read.success) return read.data;
  throw new AishError('invalid_body', `A scope is one of ${Scope.options.join(', ')}`);
}
