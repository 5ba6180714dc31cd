import { secretsApi } from '@aish/contracts/endpoints/access';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { networkApi, sessionSandboxApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Session } from '@aish/contracts/chat';
import { Priority } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { SecretName } from '@aish/contracts/secrets';
import { Trust } from '@aish/contracts/trust';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { networkLine } from '@aish/views/space.lines';
import { behaviour, choice, flag, option, repeated } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { policyOf } from './network-words.js';
import { sessionOf } from './session-of.js';
import { WORK, isChat } from './work.command.js';

/** A change that one call of an endpoint made. */
type Changed = readonly [answer: object, line: Line];

export const set = behaviour({
  args: { ref: WORK },
  options: {
    text: option('text', 'goal: new text; aish notifies the model'),
    verify: option('command', 'goal: the command that verifies it; "" removes the check'),
    priority: choice('priority', 'goal: priority in the queue', Priority.options),
    trust: choice('trust', 'undoable: do not ask for what undo can restore', Trust.options),
    folder: repeated('name', 'chat: a host folder that commands may use, or none; repeatable'),
    host: repeated('name', 'chat: a host that commands may reach over SSH, or none; repeatable'),
    network: repeated('host', 'host[:port,…], *.name or an address, or none; repeatable (needs scope admin)'),
    private: flag('allow private addresses for --network'),
    secret: repeated('name', 'a secret that commands may use, or none; repeatable (needs scope admin)'),
    carryOver: choice('switch', 'start each command where the last one ended (default: on)', ['on', 'off'] as const),
  },
  json: 'print the response, or one object with all responses',
  examples: [
    'aish set g4 --text "only the folders of 2024"',
    'aish set g4 --verify "test -s report.txt"',
    'aish set c12 --trust undoable',
    'aish set c12 --folder media --host nas',
    'aish set g4 --network wiki.example.org:80,443 --network *.example.net',
    'aish set g4 --network nas.lan:8080 --private',
    'aish set g4 --secret GRAFANA_TOKEN --secret NTFY_TOKEN',
    'aish set c12 --secret none',
    'aish set g4 --carry-over off',
  ],
  run: async ({ args: { ref }, options, io, connect }) => {
    const { text, verify, priority, trust, folder, host, network, secret, carryOver } = options;
    const ofGoal = defined({ text, verify: verify?.trim() === '' ? null : verify, priority });
    const ofChat = defined({ hostFolders: namesOf(folder), hosts: namesOf(host) });
    if (isChat(ref) && Object.keys(ofGoal).length > 0)
      throw wrong('--text, --verify and --priority work only for goals');
    if (!isChat(ref) && trust !== undefined) ofGoal['trust'] = trust;
    else if (trust !== undefined) ofChat['trust'] = trust;
    if (options.private === true && network === undefined) throw wrong('--private needs --network');
    const policy = network === undefined ? undefined : policyOf(network, options.private === true);
    const names = namesOf(secret);
    for (const name of names ?? []) {
      if (!SecretName.safeParse(name).success) throw wrong(`${oneLine(name)}: is not a valid secret name`);
    }
    const { client } = connect();
    let found: string | undefined;
    const session = async (): Promise<string> => (found ??= await sessionOf(client, ref, io));
    const done: Changed[] = [];
    if (Object.keys(ofGoal).length > 0) {
      const goal = await client.call(goalsApi.edit, { params: { ref }, body: ofGoal }, io.signal);
      done.push([goal, line(`goal ${goal.number} ${goal.state}`)]);
    }
    if (Object.keys(ofChat).length > 0) {
      const place = isChat(ref) ? ref : await session();
      const chat = await client.call(sessionsApi.change, { params: { ref: place }, body: ofChat }, io.signal);
      done.push([chat, line(`c${chat.number}: ${chatWords(chat, Object.keys(ofChat)).join('  ')}`)]);
    }
    if (policy !== undefined) {
      const now = await client.call(networkApi.set, { params: { id: await session() }, body: policy }, io.signal);
      done.push([now, networkLine(now)]);
    }
    if (names !== undefined) {
      const given = await client.call(secretsApi.give, { params: { id: await session() }, body: { names } }, io.signal);
      done.push([given, line(`secrets     ${given.names.join('  ') || 'none'}`)]);
    }
    if (carryOver !== undefined) {
      const sent = { params: { id: await session() }, body: { carryOver: carryOver === 'on' } };
      const sandbox = await client.call(sessionSandboxApi.set, sent, io.signal);
      done.push([sandbox, carryOverLine(sandbox.carryOver)]);
    }
    if (done.length === 0) throw wrong('Name what to change, such as --trust undoable. All options: aish help set');
    if (options.json) return writeJson(io, Object.assign({}, ...done.map(([answer]) => answer)));
    writeLines(
      io,
      done.map(([, shown]) => shown),
    );
  },
});

export function carryOverLine(carryOver: boolean): Line {
  const start = carryOver ? 'where the last one ended' : 'in /workspace, without exported variables';
  return line(`carry-over  ${carryOver ? 'on' : 'off'}: a command starts ${start}`);
}

/** Describes the settings of a chat that were changed. */
function chatWords({ trust, hostFolders, hosts }: Session, changed: readonly string[]): readonly string[] {
  return [
    ...(changed.includes('trust') ? [`trust ${trust ?? 'ask'}`] : []),
    ...(changed.includes('hostFolders') ? [hostFolders.join(', ') || 'no host folders'] : []),
    ...(changed.includes('hosts') ? [hosts.join(', ') || 'no hosts'] : []),
  ];
}

/** Returns the names. `none` alone is an empty list. */
function namesOf(names: readonly string[] | undefined): string[] | undefined {
  return names?.length === 1 && names[0] === 'none' ? [] : names && [...names];
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function wrong(what: string): AishError {
  return new AishError('invalid_body', what);
}
