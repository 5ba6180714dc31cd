import { hostsApi, imagesApi, secretsApi, spacesApi } from '@aish/contracts/endpoints/access';
import { mcpApi } from '@aish/contracts/endpoints/mcp';
import type { Host, HostCommand } from '@aish/contracts/hosts';
import type { Image } from '@aish/contracts/images';
import { addressOf } from '@aish/contracts/secrets';
import type { Space } from '@aish/contracts/spaces';
import { formatAge } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { hiddenToolLines, mcpServerLines } from '../mcp.format.js';
import { oneLine } from '../sanitise.js';
import { spaceLines } from '../space.lines.js';
import { resource, verb, words } from './command.js';

const SPACES = resource('space', 'access', {
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
    note: ({ name }) => `${name} is removed`,
  }),
});

const HOSTS = resource('host', 'access', {
  list: verb(hostsApi.list, {
    about: 'List hosts: last seen, and what ran there last',
    lines: ({ items }) => items.map((host) => hostLine(host, Date.now())),
  }),
  show: verb(hostsApi.commands, {
    about: 'Show what ran on a host, newest first',
    takes: '<host>',
    lines: ({ items }) => items.map(hostCommandLine),
  }),
  add: words('Add a host that commands reach over SSH', '<name> [address]'),
  trust: words('Pin the key of a host that you have compared', '<name> [fingerprint]'),
  check: words('Sign in to a host and run a harmless command', '<name>'),
  set: words('Set what runs on a host before approved commands', '<name>'),
  remove: verb(hostsApi.remove, {
    about: 'Remove a host; the record of what ran there stays',
    takes: '<host>',
    lines: ({ name, user }) => [
      line(`${name} is removed; remove its line from ~${user}/.ssh/authorized_keys there, too`),
    ],
    json: 'print the host',
  }),
});

const SECRETS = resource('secret', 'access', {
  list: verb(secretsApi.list, {
    about: 'List secrets by name, and where each may go',
    lines: ({ items }) => {
      const width = Math.max(0, ...items.map(({ name }) => name.length));
      return items.map(({ name, targets, exposed, body, setBy, setAt }): Line => [
        span(`${name.padEnd(width)}  `, 'bold'),
        span(oneLine(targets.map(addressOf).join(' '))),
        span(exposed ? '  in clear' : '', 'warn'),
        span(body ? '  also in bodies' : ''),
        span(`  set by ${oneLine(setBy)} ${formatAge(setAt, Date.now())} ago`, 'dim'),
      ]);
    },
  }),
  set: words('Set a secret; its value is read unseen or from stdin', '<name>'),
  remove: verb(secretsApi.remove, {
    about: 'Remove a secret; no command may use it any more',
    takes: '<secret>',
    note: ({ name }) => `${name} is removed`,
  }),
});

const IMAGES = resource('image', 'access', {
  list: verb(imagesApi.list, {
    about: 'List images that commands of a space can run in',
    lines: ({ items }) => items.map(imageLine),
  }),
  add: words('Build an image: Debian packages, or a Dockerfile', '<name>'),
  rebuild: words('Build an image again with the newest packages', '<name>'),
  remove: verb(imagesApi.remove, {
    about: 'Remove an image that no space uses',
    takes: '<image>',
    note: ({ name }) => `${name} is removed`,
  }),
});

const MCP = resource('mcp', 'access', {
  list: verb(mcpApi.servers, {
    about: 'List MCP servers and whether they are connected',
    lines: (list) => [...list.items.flatMap(mcpServerLines), ...hiddenToolLines(list)],
    note: ({ items }) =>
      items.length === 0 ? 'There is none. aish mcp connect <url> connects one; docs/mcp.md says more.' : null,
  }),
  connect: words('Connect an MCP server, for a day or with --save for good', '<url> [alias]'),
  add: words('Keep a program that is an MCP server over stdio', '<alias> <command>'),
  remove: verb(mcpApi.disconnect, {
    about: 'Disconnect an MCP server and forget it',
    takes: '<server>',
    lines: ({ alias }) => [line(`${oneLine(alias)} is disconnected`)],
  }),
  tool: words('List MCP tools, or show one with its schema', '[tool]'),
  call: words('Call an MCP tool yourself', '<tool> [arguments]'),
  resource: words('List MCP resources, or print one', '[alias] [uri]'),
  prompt: words('List MCP prompts, or print one', '[alias] [prompt] [values...]'),
});

const SAFETY = resource('safety', 'access', {
  list: words('List the rules that stop a command'),
  check: words('Check a command against the rules without running it', '[command...]'),
});

export const ACCESS_COMMANDS = [...SPACES, ...HOSTS, ...SECRETS, ...IMAGES, ...MCP, ...SAFETY];

function spaceLine({ name, network, hostFolders, hosts, secrets, users, deciders }: Space): Line {
  const reach = [
    ...(network.mode === 'none' ? [] : network.rules.map(({ host }) => host)),
    ...hostFolders.map((folder) => `folder ${folder}`),
    ...hosts.map((host) => `ssh ${host}`),
    ...secrets,
  ];
  return [
    span(`${oneLine(name).padEnd(16)} `, 'bold'),
    span(oneLine(reach.join('  ') || 'reaches nothing')),
    span(users === null ? '' : `  for ${oneLine(users.join(', ') || 'admins alone')}`, 'dim'),
    span(deciders === null ? '' : `  decided by ${oneLine(deciders.join(', ') || 'admins alone')}`, 'dim'),
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
    span(lastSeenAt === null ? '  never seen' : `  seen ${formatAge(lastSeenAt, nowMs)} ago`, 'dim'),
    span(last === null ? '' : `  ${oneLine(last.command)}${goal}`, 'dim'),
  ];
}

function hostCommandLine({ at, verdict, goalNumber, command, exitCode, endedAt, reason }: HostCommand): Line {
  const ended = endedAt === null ? 'runs, or nobody knows' : `exit ${exitCode ?? 'unknown'}`;
  return [
    span(`${at}  `, 'dim'),
    span(verdict.padEnd(10), verdict === 'refused' ? 'warn' : 'plain'),
    span(goalNumber === null ? '        ' : `goal ${goalNumber}`.padEnd(8)),
    span(` ${oneLine(command)}  `),
    span(verdict === 'refused' ? oneLine(reason ?? '') : ended, 'dim'),
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
