import { tokensApi } from '@aish/contracts/endpoints/sign-in';
import type { Token } from '@aish/contracts/tokens';
import { formatAge } from '../duration.format.js';
import { line, span, type Line } from '../line.js';
import { oneLine } from '../sanitise.js';
import { resource, verb, words } from './command.js';

const SERVER = resource('', 'admin', null, {
  setup: words('Set up a host, a folder, a secret and a first goal'),
  login: words('Sign in to a server', '[url]'),
  doctor: { ...words('Check that everything works'), screen: 'doctor' },
  upgrade: words('Upgrade the server on this machine', '[release]'),
  audit: { ...words('Show who decided and changed what, newest first'), screen: 'audit' },
  backup: words('Back up all data of aish to one file', '[file]'),
  'backup restore': words('Restore a backup into an empty aish', '<file>'),
  acp: words('Run as an ACP agent for an editor (stdio)'),
});

const MODELS = resource('model', 'admin', 'models', {
  list: words('List model presets and whether they respond'),
});

const TOKENS = resource('token', 'admin', 'settings', {
  list: verb(tokensApi.list, {
    about: 'List tokens, newest first',
    lines: ({ items }) => {
      const width = Math.max(0, ...items.map(({ name }) => name.length));
      return items.map((token) => tokenLine(token, width, Date.now()));
    },
  }),
  add: words('Create a token; its secret is shown once', '<name>'),
  approve: words('Approve a device by the code that it shows', '<code>'),
  remove: verb(tokensApi.revoke, {
    about: 'Revoke a token now',
    takes: '<token>',
    lines: ({ name }) => [line(`${oneLine(name)} was revoked`)],
    json: 'print the token',
  }),
});

const CONFIG = resource('config', 'admin', 'settings', {
  show: words('Show changed settings, or all with their defaults'),
  check: words('Check a settings file, without a server', '[file]'),
  export: words('Write your setup to YAML files', '<dir>'),
  apply: words('Compare YAML files with your setup, and apply them', '<dir>'),
});

export const ADMIN_COMMANDS = [...SERVER, ...MODELS, ...TOKENS, ...CONFIG];

function tokenLine(token: Token, width: number, nowMs: number): Line {
  const [state, style] = stateOf(token, nowMs);
  return [
    span(`${oneLine(token.name).padEnd(width)}  `, 'bold'),
    span(state.padEnd(9), style),
    span(token.scopes.join(',').padEnd(16)),
    span(token.app === null ? '' : `  app ${oneLine(`${token.app.space}/${token.app.name}`)}`),
    span(token.lastUsedAt === null ? '  never used' : `  used ${formatAge(token.lastUsedAt, nowMs)} ago`),
    span(token.expiresAt === null ? '' : `  until ${token.expiresAt.slice(0, 10)}`, 'dim'),
  ];
}

function stateOf(token: Token, nowMs: number): ['revoked' | 'expired' | 'valid', 'dim' | 'warn' | 'good'] {
  if (token.revokedAt !== null) return ['revoked', 'dim'];
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= nowMs) return ['expired', 'warn'];
  return ['valid', 'good'];
}
