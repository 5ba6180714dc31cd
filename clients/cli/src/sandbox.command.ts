import { secretsApi } from '@aish/contracts/endpoints/access';
import { networkApi, sessionSandboxApi } from '@aish/contracts/endpoints/sessions';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { command, flag, many, one, oneOf } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { networkLine, policyOf } from './network-words.js';
import { workplaceReference } from './reference.js';
import { sessionOf } from './session-of.js';

const REF = one('a goal (g4 or 4), a chat (c12), or the UUID of either', workplaceReference, { suggests: 'goal' });

export const sandboxShow = command({
  name: 'sandbox show',
  about: 'say where the commands of a goal or session run, and what they may reach and did reach',
  args: { ref: REF },
  json: 'print the api’s answers in one object',
  examples: ['aish sandbox show 4'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const id = await sessionOf(client, args.ref, io);
    const [sandbox, network, connections, secrets] = await Promise.all([
      client.call(sessionSandboxApi.find, { params: { id } }, io.signal),
      client.call(networkApi.policy, { params: { id } }, io.signal),
      client.call(networkApi.connections, { params: { id } }, io.signal),
      client.call(secretsApi.ofSession, { params: { id } }, io.signal),
    ]);
    if (options.json) {
      return writeJson(io, { ...sandbox, network, secrets: secrets.names, connections: connections.items });
    }
    writeLines(io, [
      line(`sandbox     ${sandbox.sandbox ?? 'none yet'}`),
      carryOverLine(sandbox.carryOver),
      networkLine(network),
      line(`secrets     ${secrets.names.join('  ') || 'none'}`),
      ...connections.items.map((each): Line => [
        span(`  ${each.at}  `, 'dim'),
        span(each.allowed ? 'reached ' : 'refused ', each.allowed ? 'plain' : 'warn'),
        span(oneLine(`${each.host}:${each.port}`)),
        span(each.allowed ? '' : `  ${oneLine(each.reason)}`, 'dim'),
      ]),
    ]);
  },
});

export const sandboxCarryOver = command({
  name: 'sandbox carry-over',
  about: 'say whether a command begins where the last one ended: folder and exported variables',
  args: { ref: REF, setting: oneOf('on (the default) or off', ['on', 'off']) },
  json: 'print the api’s answer',
  examples: ['aish sandbox carry-over 4 off'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const id = await sessionOf(client, args.ref, io);
    const sandbox = await client.call(
      sessionSandboxApi.set,
      { params: { id }, body: { carryOver: args.setting === 'on' } },
      io.signal,
    );
    if (options.json) return writeJson(io, sandbox);
    writeLines(io, [carryOverLine(sandbox.carryOver)]);
  },
});

export const sandboxNetwork = command({
  name: 'sandbox network',
  about: 'say what the commands of a goal or session may reach; needs a token with scope admin',
  args: { ref: REF, hosts: many('none, or host[:port,…]: a name, *.name or an address; port 443 unless given') },
  options: { private: flag('these are hosts of the local network: private addresses are meant') },
  json: 'print the api’s answer',
  examples: [
    'aish sandbox network 4 wiki.example.org:80,443 *.example.net',
    'aish sandbox network 4 nas.lan:8080 --private',
    'aish sandbox network 4 none',
  ],
  run: async ({ args, options, io, connect }) => {
    const wanted = policyOf(args.hosts, options.private === true);
    const { client } = connect();
    const policy = await client.call(
      networkApi.set,
      { params: { id: await sessionOf(client, args.ref, io) }, body: wanted },
      io.signal,
    );
    if (options.json) return writeJson(io, policy);
    writeLines(io, [networkLine(policy)]);
  },
});

function carryOverLine(carryOver: boolean): Line {
  return line(
    `carry-over  ${carryOver ? 'on' : 'off'}: a command begins ${carryOver ? 'where the last one ended' : 'in /workspace, with nothing exported'}`,
  );
}
