import { hostsApi } from '@aish/contracts/endpoints/access';
import { HostLogin, type SeenHost } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, maybe, one, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

const NAME = one('what commands call it');

export const hostAdd = behaviour({
  args: { name: NAME, address: maybe('name or address in the network (default: the same as NAME)') },
  options: {
    user: option('name', 'who commands are there (default aish)'),
    port: option('n', 'the port of its SSH server (default 22)', { read: wholeNumber }),
    login: choice(
      'how',
      'certificate, or key for a host that knows no certificates (default certificate)',
      HostLogin.options,
    ),
  },
  json: 'print the host, and the keys that it shows',
  examples: ['aish host add nas nas.lan', 'aish host add router 192.168.1.1 --user root --login key'],
  run: async ({ args, options, io, connect }) => {
    const { user, port, login } = options;
    const more = {
      ...(user === undefined ? {} : { user }),
      ...(port === undefined ? {} : { port }),
      ...(login === undefined ? {} : { login }),
    };
    const added = await connect().client.call(
      hostsApi.add,
      { body: { name: args.name, address: args.address ?? args.name, ...more } },
      io.signal,
    );
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

export const hostTrust = behaviour({
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

export const hostCheck = behaviour({
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

export const hostSet = behaviour({
  args: { name: NAME },
  options: {
    before: option('command', 'what runs before each approved command: a snapshot named {name}, or none'),
    undo: option('command', 'what takes it back; aish undo shows it'),
  },
  json: 'print the host',
  examples: [
    "aish host set nas --before 'sudo zfs snapshot tank@{name}' --undo 'sudo zfs rollback -r tank@{name}'",
    'aish host set nas --before none',
  ],
  run: async ({ args, options, io, connect }) => {
    const { before, undo = null } = options;
    if (before === undefined) throw new AishError('invalid_body', 'Say what runs before approved commands: --before');
    const body = before === 'none' ? { prelude: null, rollback: null } : { prelude: before, rollback: undo };
    const host = await connect().client.call(hostsApi.setPrelude, { params: { name: args.name }, body }, io.signal);
    if (options.json) return writeJson(io, host);
    writeLines(io, [line(`before what you let through on ${host.name}: ${oneLine(host.prelude ?? 'nothing')}`)]);
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
