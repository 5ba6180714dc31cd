import { hostsApi } from '@aish/contracts/endpoints/access';
import { HostLogin, type SeenHost } from '@aish/contracts/hosts';
import { AishError } from '@aish/contracts/problems';
import { readSshTarget, type SshTarget } from '@aish/contracts/ssh-target';
import { hostAdvice } from '@aish/views/host-advice';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, behaviour, maybe, one, option } from './command.js';
import { writeJson, writeLines } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';

const NAME = one('the name that commands use');

export const hostAdd = behaviour({
  args: { name: NAME, address: maybe('its address, also as root@nas.lan:2222 (default: NAME)') },
  options: {
    user: option('name', 'the user that commands run as (default: aish)'),
    port: option('n', 'port of its SSH server (default: 22)', { read: wholeNumber }),
    login: choice(
      'how',
      'certificate, or key for hosts that do not accept certificates (default: certificate)',
      HostLogin.options,
    ),
  },
  json: 'print the host and the keys that it presents',
  examples: ['aish host add nas root@nas.lan:2222', 'aish host add router 192.168.1.1 --user root --login key'],
  run: async ({ args, options, io, connect }) => {
    const { user, port, login } = options;
    const more = {
      ...machine(args.address ?? args.name),
      ...(user === undefined ? {} : { user }),
      ...(port === undefined ? {} : { port }),
      ...(login === undefined ? {} : { login }),
    };
    const added = await connect().client.call(hostsApi.add, { body: { name: args.name, ...more } }, io.signal);
    if (options.json) return writeJson(io, added);
    const { host } = added;
    writeLines(io, [
      line(
        `1. Compare the key of ${host.name} with the output of this command on the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`,
      ),
      ...keyLines(added),
      line(`2. Trust it: aish host trust ${host.name} FINGERPRINT`),
      line(`3. Add this line to ~${host.user}/.ssh/authorized_keys on the host:`),
      line(host.authorizedKeys),
      line(`4. aish host check ${host.name}`),
    ]);
  },
});

export const hostTrust = behaviour({
  args: { name: NAME, fingerprint: maybe('SHA256:…, as printed on the machine itself') },
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
        `${args.name} does not present the key ${oneLine(args.fingerprint)}. Do not trust it`,
      );
    }
    const host = await client.call(
      hostsApi.trust,
      { params: { name: args.name }, body: { keys: [key.key] } },
      io.signal,
    );
    if (options.json) return writeJson(io, host);
    writeLines(io, [line(`aish now trusts ${host.name} with this key only`)]);
  },
});

export const hostCheck = behaviour({
  args: { name: NAME },
  json: 'print the response as JSON',
  examples: ['aish host check nas'],
  exits: { 1: 'the connection failed' },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const check = await client.call(hostsApi.check, { params: { name: args.name } }, io.signal);
    if (!check.ok) exit(1);
    if (options.json) return writeJson(io, check);
    // The advice speaks of this line, which aish host add printed, perhaps days ago.
    const { items } = check.ok ? { items: [] } : await client.call(hostsApi.list, {}, io.signal);
    const host = items.find(({ name }) => name === args.name);
    writeLines(io, [
      line(`${args.name} ${check.ok ? 'works' : 'failed'}: ${oneLine(check.detail)}`),
      ...(check.ok ? [] : [line(hostAdvice(check.detail))]),
      ...(host === undefined
        ? []
        : [line(`The line for ~${host.user}/.ssh/authorized_keys:`), line(host.authorizedKeys)]),
      ...(check.tools.length === 0 ? [] : [line(`it has ${check.tools.join(', ')}`)]),
    ]);
  },
});

export const hostSet = behaviour({
  args: { name: NAME },
  options: {
    before: option('command', 'command before each approved command (a snapshot named {name}), or none'),
    undo: option('command', 'command that restores it, shown by aish undo'),
  },
  json: 'print the host',
  examples: [
    "aish host set nas --before 'sudo zfs snapshot tank@{name}' --undo 'sudo zfs rollback -r tank@{name}'",
    'aish host set nas --before none',
  ],
  run: async ({ args, options, io, connect }) => {
    const { before, undo = null } = options;
    if (before === undefined)
      throw new AishError('invalid_body', 'Name the command to run before approved commands: --before');
    const body = before === 'none' ? { prelude: null, rollback: null } : { prelude: before, rollback: undo };
    const host = await connect().client.call(hostsApi.setPrelude, { params: { name: args.name }, body }, io.signal);
    if (options.json) return writeJson(io, host);
    writeLines(io, [line(`before approved commands on ${host.name}: ${oneLine(host.prelude ?? 'nothing')}`)]);
  },
});

/** @throws AishError `invalid_body` for text that names no machine. */
export function machine(text: string): SshTarget {
  const target = readSshTarget(text);
  if (target === null)
    throw new AishError(
      'invalid_body',
      `${oneLine(text)} is not an SSH address. Write it as nas.lan or root@nas.lan:2222`,
    );
  return target;
}

export function keyLines({ host, seen }: SeenHost): Line[] {
  const pinned = new Set(host.keys.map(({ key }) => key));
  const gone = host.keys.filter(({ key }) => !seen.some((each) => each.key === key));
  return [
    ...seen.map(({ key, fingerprint }): Line => [
      span(`   ${fingerprint}  ${key.split(' ')[0]}`),
      span(pinned.has(key) ? '  trusted' : '', 'good'),
    ]),
    ...gone.map(({ fingerprint }): Line => [span(`   ${fingerprint}  trusted, but no longer presented`, 'warn')]),
  ];
}
