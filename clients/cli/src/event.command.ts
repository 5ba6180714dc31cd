import { eventsApi } from '@aish/contracts/endpoints/events';
import { AddEventSource, EventProof } from '@aish/contracts/incoming-events';
import { AishError } from '@aish/contracts/problems';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, flag, one, option } from './command.js';
import { note, readAll, writeJson, writeLines } from '@aish/client/io';
import { readHidden } from './read-hidden.js';
import { eventReference } from './reference.js';

const NAME = one('last part of the URL of the event source, such as alerts', (text) => text);

export const eventSource = behaviour({
  args: { name: NAME },
  options: {
    proof: choice('way', 'how its events are authenticated (default: token)', EventProof.options),
    header: option('name', 'with token: the header that holds it (default: Authorization, Bearer or Basic)'),
    ownSecret: flag('use the secret of the sender (prompted for or read from stdin)'),
  },
  json: 'print the event source and the secret',
  examples: ['aish event source add alerts', 'aish event source add forge --proof gitea'],
  run: async ({ args, options, io, connect }) => {
    const { name } = args;
    const secret = options.ownSecret === true ? await readSecret(io) : undefined;
    const { proof, header } = options;
    const input = AddEventSource.safeParse({
      name,
      ...(proof === undefined ? {} : { proof }),
      ...(header === undefined ? {} : { header: header.toLowerCase() }),
      ...(secret === undefined ? {} : { secret }),
    });
    if (!input.success)
      throw new AishError('invalid_body', `${oneLine(name)}: ${input.error.issues[0]?.message ?? ''}`);
    const { client, address } = connect();
    const added = await client.call(eventsApi.addSource, { body: input.data }, io.signal);
    if (options.json) return writeJson(io, added);
    writeLines(io, [
      line(`address  POST ${address.url.replace(/\/$/, '')}/v1/events/${added.name}`),
      line(`proof    ${HOW[added.proof]}${added.header === null ? '' : ` in ${added.header}`}`),
      line(`secret   ${added.secret}`),
    ]);
    note(io, `The secret is shown only once. Next, add a rule: aish event rule add ${added.name} "…"`);
  },
});

const HOW: Readonly<Record<EventProof, string>> = {
  token: 'the secret as a bearer token',
  github: 'signed like GitHub webhooks',
  gitea: 'signed like Gitea and Forgejo webhooks',
  'standard-webhooks': 'signed like Standard Webhooks',
};

export const eventReplay = behaviour({
  args: { event: one('an event: e4, 4 or its UUID', eventReference) },
  options: { dryRun: flag('only show what the current rules would do') },
  json: 'print the response as JSON',
  examples: ['aish event replay e4', 'aish event replay e4 --dry-run'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const params = { ref: args.event };
    if (options.dryRun) {
      const test = await client.call(eventsApi.test, { params }, io.signal);
      if (options.json) return writeJson(io, test);
      if (test.rule === null) return note(io, 'No rule matches this event');
      return writeLines(io, [
        line(`rule     r${test.rule}`),
        line(`key      ${oneLine(test.key ?? '')}`),
        test.isResolved ? line('it resolves an event') : line(`goal     ${oneLine(test.text ?? '')}`),
      ]);
    }
    const receipt = await client.call(eventsApi.replay, { params }, io.signal);
    if (options.json) return writeJson(io, receipt);
    note(io, `${receipt.outcome}${receipt.goal === null ? '' : `: goal ${receipt.goal}`}`);
  },
});

async function readSecret(io: Parameters<typeof readAll>[0]): Promise<string> {
  const typed = io.stdin.isTTY === true ? await readHidden(io, 'secret: ') : await readAll(io);
  return typed.replace(/\r?\n$/, '');
}
