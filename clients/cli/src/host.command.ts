import { hostsApi } from '@aish/contracts/endpoints/access';
import { HostLogin, type Host, type HostCommand, type SeenHost } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, maybe, one, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

const NAME = one('what commands call it');

export const hostAdd = command({
  name: 'host add',
  about: 'let goals and chats use another machine over SSH; needs a token with scope admin',
  args: { name: NAME },
  options: {
    address: option('host', 'its name or address in the network; without, the same as its name'),
    user: option('name', 'who commands are there (default aish)'),
    port: option('n', 'the port of its SSH server (default 22)', { read: wholeNumber }),
    login: choice(
      'how',
      'certificate, or key for a host that knows no certificates (default certificate)',
      HostLogin.options,
    ),
  },
  json: 'print the host, and the keys that it shows',
  examples: [
    'aish host add nas --address nas.lan',
    'aish host add router --address 192.168.1.1 --user root --login key',
  ],
  run: async ({ args, options, io, connect }) => {
    const { address = args.name, user, port, login } = options;
    const more = {
      ...(user === undefined ? {} : { user }),
      ...(port === undefined ? {} : { port }),
      ...(login === undefined ? {} : { login }),
    };
    const added = await connect().client.call(hostsApi.add, { body: { name: args.name, address, ...more } }, io.signal);
    if (options.json) return writeJson(io, added);
    const { host } = added;
    writeLines(io, [
      line(
        `1. Compare the key of ${host.name} with what the machine itself says: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`,
      ),
      ...keyLines(added),
      line(`2. Trust it: aish host trust ${host.name} FINGERPRINT`),
      line(`3. Put this one line into ~${host.user}/.ssh/authorized_keys there:`),
      line(host.authorizedKeys),
      line(`4. aish host check ${host.name}`),
    ]);
  },
});

export const hostTrust = command({
  name: 'host trust',
  about: 'pin the key of a host that you have compared; without a fingerprint, show what there is to compare',
  args: { name: NAME, fingerprint: maybe('SHA256:…, as the machine itself prints it') },
  json: 'print the host',
  examples: ['aish host trust nas', 'aish host trust nas SHA256:0lYNnPYNrxLSAsTjB4bAzlXQuyvS4a3HZPvkKyTwFtk'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const seen = await client.call(hostsApi.see, { params: { name: args.name } }, io.signal);
    if (args.fingerprint === undefined) {
      if (options.json) return writeJson(io, seen);
      return writeLines(io, keyLines(seen));
    }
    const key = seen.seen.find(({ fingerprint }) => fingerprint === args.fingerprint);
    if (key === undefined) {
      throw new AishError(
        'invalid_body',
        `${args.name} does not show the key ${oneLine(args.fingerprint)}: do not trust it`,
      );
    }
    const host = await client.call(
      hostsApi.trust,
      { params: { name: args.name }, body: { keys: [key.key] } },
      io.signal,
    );
    if (options.json) return writeJson(io, host);
    writeLines(io, [line(`${host.name} is trusted with this key, and with no other`)]);
  },
});

export const hostList = command({
  name: 'host list',
  about: 'list the machines that goals and chats may use, when they were last seen and what was done there',
  json: 'print the api’s answer',
  examples: ['aish host list'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(hostsApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.map((host) => hostLine(host, Date.now())),
    );
  },
});

export const hostShow = command({
  name: 'host show',
  about: 'say what was asked for on a host, newest first, by which goal, and how it ended',
  args: { name: NAME },
  json: 'print the api’s answer',
  examples: ['aish host show nas'],
  run: async ({ args, options, io, connect }) => {
    const list = await connect().client.call(hostsApi.commands, { params: { name: args.name } }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(io, list.items.map(commandLine));
  },
});

export const hostCheck = command({
  name: 'host check',
  about: 'sign in to a host and run a command that changes nothing',
  args: { name: NAME },
  json: 'print the api’s answer',
  examples: ['aish host check nas'],
  exits: { 1: 'it does not work' },
  run: async ({ args, options, io, connect, exit }) => {
    const check = await connect().client.call(hostsApi.check, { params: { name: args.name } }, io.signal);
    if (!check.ok) exit(1);
    if (options.json) return writeJson(io, check);
    writeLines(io, [
      line(`${args.name} ${check.ok ? 'works' : 'does not work'}: ${oneLine(check.detail)}`),
      ...(check.tools.length === 0 ? [] : [line(`it has ${check.tools.join(', ')}`)]),
    ]);
  },
});

export const hostPrelude = command({
  name: 'host prelude',
  about: 'say what runs on a host before each command that you let through: a snapshot, named {name}; none ends it',
  args: { name: NAME, command: one('the command line, or none') },
  options: { undo: option('command', 'what takes it back; aish undo says it') },
  json: 'print the host',
  examples: [
    "aish host prelude nas 'sudo zfs snapshot tank@{name}' --undo 'sudo zfs rollback -r tank@{name}'",
    'aish host prelude nas none',
  ],
  run: async ({ args, options, io, connect }) => {
    const prelude = args.command === 'none' ? null : args.command;
    const body = { prelude, rollback: prelude === null ? null : (options.undo ?? null) };
    const host = await connect().client.call(hostsApi.setPrelude, { params: { name: args.name }, body }, io.signal);
    if (options.json) return writeJson(io, host);
    writeLines(io, [line(`before what you let through on ${host.name}: ${oneLine(host.prelude ?? 'nothing')}`)]);
  },
});

export const hostRemove = command({
  name: 'host remove',
  about: 'take a host away from all goals and chats; what was done there stays on record',
  args: { name: NAME },
  json: 'print the host',
  examples: ['aish host remove nas'],
  run: async ({ args, options, io, connect }) => {
    const host = await connect().client.call(hostsApi.remove, { params: { name: args.name } }, io.signal);
    if (options.json) return writeJson(io, host);
    writeLines(io, [
      line(`${host.name} is removed; take its line out of ~${host.user}/.ssh/authorized_keys there, too`),
    ]);
  },
});

export function keyLines({ host, seen }: SeenHost): Line[] {
  const pinned = new Set(host.keys.map(({ key }) => key));
  const gone = host.keys.filter(({ key }) => !seen.some((each) => each.key === key));
  return [
    ...seen.map(({ key, fingerprint }): Line => [
      span(`   ${fingerprint}  ${key.split(' ')[0]}`),
      span(pinned.has(key) ? '  trusted' : '', 'good'),
    ]),
    ...gone.map(({ fingerprint }): Line => [span(`   ${fingerprint}  trusted, and not shown any more`, 'warn')]),
  ];
}

/** One host in lists; the terminal UI shows the same. */
function hostLine(host: Host, nowMs: number): Line {
  const { name, user, address, port, keys, login, lastSeenAt, last } = host;
  const number = last?.goalNumber ?? null;
  const goal = number === null ? '' : ` (goal ${number})`;
  return [
    span(`${name.padEnd(16)} `, 'bold'),
    span(oneLine(`${user}@${address}${port === 22 ? '' : `:${port}`}`)),
    span(keys.length === 0 ? '  not trusted yet' : '', 'warn'),
    span(login === 'key' ? '  stored key' : '', 'warn'),
    span(lastSeenAt === null ? '  never seen' : `  seen ${formatAge(lastSeenAt, nowMs)} ago`, 'dim'),
    span(last === null ? '' : `  ${oneLine(last.command)}${goal}`, 'dim'),
  ];
}

function commandLine({ at, verdict, goalNumber, command: text, exitCode, endedAt, reason }: HostCommand): Line {
  const end =
    verdict === 'refused'
      ? oneLine(reason ?? '')
      : endedAt === null
        ? 'runs, or nobody knows'
        : `exit ${exitCode ?? 'unknown'}`;
  return [
    span(`${at}  `, 'dim'),
    span(verdict.padEnd(10), verdict === 'refused' ? 'warn' : 'plain'),
    span(goalNumber === null ? '        ' : `goal ${goalNumber}`.padEnd(8)),
    span(` ${oneLine(text)}  `),
    span(end, 'dim'),
  ];
}
