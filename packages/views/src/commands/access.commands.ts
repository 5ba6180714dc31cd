import { hostsApi, imagesApi, secretsApi, spacesApi } from '@aish/contracts/endpoints/access';
import { mcpApi } from '@aish/contracts/endpoints/mcp';
import { messengersApi } from '@aish/contracts/endpoints/sign-in';
import type { Host, HostCommand, RevertState } from '@aish/contracts/hosts';
import type { Image } from '@aish/contracts/images';
import { addressOf } from '@aish/contracts/secrets';
import type { Space } from '@aish/contracts/spaces';
import { formatAge } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { hiddenToolLines, mcpServerLines } from '../mcp.format.js';
import { oneLine } from '../sanitise.js';
import { spaceLines } from '../space.lines.js';
import { resource, verb, words } from './command.js';

const SPACES = resource('space', 'access', 'spaces', {
  list: verb(spacesApi.list, {
    about: 'List spaces and what each allows',
    lines: ({ items }) => items.map(spaceLine),
  }),
  show: verb(spacesApi.show, {
    about: 'Show what a space allows and who may work there',
    takes: '<space>',
    lines: spaceLines,
  }),
  set: words('Change what a space allows (needs scope admin)', '<name>'),
  remove: verb(spacesApi.remove, {
    about: 'Remove a space; its goals, chats and memory stay',
    takes: '<space>',
    note: ({ name }) => `${name} was removed`,
  }),
});

const HOSTS = resource('host', 'access', 'hosts', {
  list: verb(hostsApi.list, {
    about: 'List hosts with their last contact and last command',
    lines: ({ items }) => items.map((host) => hostLine(host, Date.now())),
    note: ({ items }) => (items.length === 0 ? 'No hosts. Add one: aish host add nas nas.lan' : null),
  }),
  show: verb(hostsApi.commands, {
    about: 'Show what ran on a host, newest first',
    takes: '<host>',
    lines: ({ items }) => items.map(hostCommandLine),
    note: ({ items }) => (items.length === 0 ? 'No command ran there yet.' : null),
  }),
  add: words('Add a host that commands reach over SSH', '<name> [address]'),
  trust: words('Trust the key of a host after you have compared it', '<name> [fingerprint]'),
  check: words('Sign in to a host and run a harmless command', '<name>'),
  set: words('Set what runs on a host before approved commands', '<name>'),
  remove: verb(hostsApi.remove, {
    about: 'Remove a host; the record of what ran there stays',
    takes: '<host>',
    lines: ({ name, user }) => [
      line(`${name} was removed. Also remove its line from ~${user}/.ssh/authorized_keys there`),
    ],
    json: 'print the host',
  }),
});

const SECRETS = resource('secret', 'access', 'secrets', {
  list: verb(secretsApi.list, {
    about: 'List secrets by name with their allowed destinations',
    lines: ({ items }) => {
      const width = Math.max(0, ...items.map(({ name }) => name.length));
      return items.map(({ name, targets, exposed, body, setBy, setAt }): Line => [
        span(`${name.padEnd(width)}  `, 'bold'),
        span(oneLine(targets.map(addressOf).join(' '))),
        span(exposed ? '  exposed' : '', 'warn'),
        span(body ? '  also in request bodies' : ''),
        span(`  set by ${oneLine(setBy)} ${formatAge(setAt, Date.now())} ago`, 'dim'),
      ]);
    },
    note: ({ items }) => (items.length === 0 ? 'No secrets. Set one: aish secret set NAME' : null),
  }),
  set: words('Set a secret; aish prompts for its value or reads stdin', '<name>'),
  remove: verb(secretsApi.remove, {
    about: 'Remove a secret; commands can no longer use it',
    takes: '<secret>',
    note: ({ name }) => `${name} was removed`,
  }),
});

const IMAGES = resource('image', 'access', null, {
  list: verb(imagesApi.list, {
    about: 'List images that commands of a space can run in',
    lines: ({ items }) => items.map(imageLine),
    note: ({ items }) => (items.length === 0 ? 'No images. Build one: aish image add NAME' : null),
  }),
  add: words('Build an image, or build it again with newer packages', '<name>'),
  remove: verb(imagesApi.remove, {
    about: 'Remove an image that no space uses',
    takes: '<image>',
    note: ({ name }) => `${name} was removed`,
  }),
});

const MCP = resource('mcp', 'access', 'mcp', {
  list: verb(mcpApi.servers, {
    about: 'List MCP servers and whether they are connected',
    lines: (list) => [...list.items.flatMap(mcpServerLines), ...hiddenToolLines(list)],
    note: ({ items }) =>
      items.length === 0 ? 'No MCP servers. Connect one: aish mcp add <url> (see docs/mcp.md)' : null,
  }),
  add: words('Add an MCP server: an address, or a program (stdio)', '<server> [more]'),
  remove: verb(mcpApi.disconnect, {
    about: 'Disconnect an MCP server and forget it',
    takes: '<server>',
    lines: ({ alias }) => [line(`${oneLine(alias)} was disconnected`)],
  }),
  show: words('Show MCP tools, resources and prompts, or one of them', '[server] [name] [values...]'),
  call: words('Call an MCP tool yourself', '<tool> [arguments]'),
});

const MESSENGERS = resource('messenger', 'access', null, {
  bind: verb(messengersApi.code, {
    about: 'Show a code that binds your messenger account',
    lines: ({ code, messengers }) => [
      line(`Send this to the bot (${messengers.join(', ')}) within 10 minutes: ${oneLine(code)}`),
    ],
  }),
});

const SAFETY = resource('safety', 'access', null, {
  list: words('List the rules that stop commands'),
  check: words('Check a command against the rules without running it', '[command...]'),
});

export const ACCESS_COMMANDS = [...SPACES, ...HOSTS, ...SECRETS, ...IMAGES, ...MCP, ...MESSENGERS, ...SAFETY];

function spaceLine({ name, network, hostFolders, hosts, secrets, users, deciders }: Space): Line {
  const access = [
    ...(network.mode === 'none' ? [] : network.rules.map(({ host }) => host)),
    ...hostFolders.map((folder) => `folder ${folder}`),
    ...hosts.map((host) => `ssh ${host}`),
    ...secrets,
  ];
  return [
    span(`${oneLine(name).padEnd(16)} `, 'bold'),
    span(oneLine(access.join('  ') || 'no access')),
    span(users === null ? '' : `  for ${oneLine(users.join(', ') || 'admins only')}`, 'dim'),
    span(deciders === null ? '' : `  decided by ${oneLine(deciders.join(', ') || 'admins only')}`, 'dim'),
  ];
}

function hostLine(host: Host, nowMs: number): Line {
  const { name, user, address, port, keys, login, lastSeenAt, last } = host;
  const number = last?.goalNumber ?? null;
  const goal = number === null ? '' : ` (goal ${number})`;
  return [
    span(`${name.padEnd(16)} `, 'bold'),
    span(oneLine(`${user}@${address}${port === 22 ? '' : `:${port}`}`)),
    span(keys.length === 0 ? '  not trusted yet' : '', 'warn'),
    span(login === 'key' ? '  stored key' : '', 'warn'),
    span(lastSeenAt === null ? '  no command yet' : `  seen ${formatAge(lastSeenAt, nowMs)} ago`, 'dim'),
    span(last === null ? '' : `  ${oneLine(last.command)}${goal}`, 'dim'),
  ];
}

const REVERT_STATES: Readonly<Record<RevertState, string>> = {
  armed: 'will be reverted unless aish can sign in again',
  kept: 'aish could sign in again',
  back: 'the host reverted the change',
  unknown: 'unknown whether the host reverted the change',
};

function hostCommandLine(row: HostCommand): Line {
  const { at, verdict, goalNumber, command, exitCode, endedAt, reason, wayBack } = row;
  const ended = endedAt === null ? 'running or unknown' : `exit ${exitCode ?? 'unknown'}`;
  return [
    span(`${at}  `, 'dim'),
    span(verdict.padEnd(10), verdict === 'refused' ? 'warn' : 'plain'),
    span(goalNumber === null ? '        ' : `goal ${goalNumber}`.padEnd(8)),
    span(` ${oneLine(command)}  `),
    span(verdict === 'refused' ? oneLine(reason ?? '') : ended, 'dim'),
    span(wayBack === null ? '' : `  ${REVERT_STATES[wayBack]}`, wayBack === 'kept' ? 'dim' : 'warn'),
  ];
}

export function imageLine({ name, state, packages, dockerfile, digest, sizeBytes, builtAt }: Image): Line {
  const what = [...packages, ...(dockerfile.trim() === '' ? [] : ['a Dockerfile'])].join(' ');
  const size = sizeBytes === null ? '' : `  ${Math.round(sizeBytes / 1e6)} MB`;
  const age = builtAt === null ? '' : `  built ${formatAge(builtAt, Date.now())} ago`;
  return [
    span(`${oneLine(name).padEnd(16)} `, 'bold'),
    span(oneLine(what)),
    span(`  ${state === 'built' ? '' : `${state} `}${(digest ?? '').slice(0, 19)}${size}${age}`, 'dim'),
  ];
}
