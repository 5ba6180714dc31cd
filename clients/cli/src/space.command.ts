import { spacesApi } from '@aish/contracts/endpoints/access';
import { readFile } from 'node:fs/promises';
import type { SetSpace, Space } from '@aish/contracts/spaces';
import { AishError } from '@aish/contracts/problems';
import type { z } from 'zod';
import { ApiError } from '@aish/client/api.error';
import { spaceLines } from '@aish/views/space.lines';
import { choice, behaviour, flag, one, option, repeated } from './command.js';
import { writeJson, writeLines, localFile } from '@aish/client/io';
import { policyOf } from './network-words.js';
import { readApprovals, readEscalation, readWindows } from './space-rules.js';
import { wholeOrZero } from './whole-number.js';

const NAME = one('the name of a space, such as media');

export const spaceSet = behaviour({
  args: { name: NAME },
  options: {
    network: repeated('host', 'host[:port,…], *.name or address to allow, or none; repeatable'),
    private: flag('allow private addresses for --network'),
    folder: repeated('name', 'host folder to allow, or none; repeatable'),
    host: repeated('name', 'host to allow over SSH, or none; repeatable'),
    secret: repeated('name', 'secret to allow, or none; repeatable'),
    image: option('name', 'image for commands (see aish image list), or none for the default'),
    memory: option('MB', 'memory of one command; 0 for the default', { read: wholeOrZero }),
    cpus: option('n', 'processors of one command; 0 for the default', { read: wholeOrZero }),
    gpus: choice('which', 'all GPUs of the host (if the sandbox allows it), or none', ['all', 'none']),
    mcp: repeated('alias', 'MCP server to allow, or all, or none; repeatable'),
    preset: option('name', 'model preset, or none'),
    steps: option('n', 'default number of steps of a goal; 0 for aish’s default', { read: wholeOrZero }),
    tokens: option('n', 'default number of tokens of a goal; 0 for no limit', { read: wholeOrZero }),
    instructions: option('file', 'file of instructions for the model (Markdown); empty for none', {
      suggests: 'file',
    }),
    user: repeated('person', 'user who may give goals and chat, or everyone; repeatable'),
    decider: repeated('person', 'user who may give verdicts, or everyone; repeatable'),
    window: repeated('when', 'change window, such as "sat,sun 02:00-05:00 Europe/Berlin", or none; repeatable'),
    approve: repeated(
      'rule',
      'approval rule, such as "2 files.*,disks.*" or "2 destructive not-author", or none; repeatable',
    ),
    escalate: repeated('step', 'escalation step, such as "30m mail bob@example.org", or none; repeatable'),
  },
  json: 'print the space',
  examples: [
    'aish space set media --network api.themoviedb.org --folder media --host nas',
    'aish space set media --network grafana.lan:3000 --private --secret GRAFANA_TOKEN',
    'aish space set media --user alice --user bob --decider alice',
    'aish space set media --image media --memory 2048',
    'aish space set media --network none --host none',
    'aish space set media --window "sat,sun 02:00-05:00 Europe/Berlin"',
    'aish space set media --approve "2 destructive not-author" --escalate "30m mail bob@example.org"',
  ],
  run: async ({ args, options, io, connect }) => {
    const text = options.instructions;
    const instructions = text === undefined ? undefined : await localFile(() => readFile(text, 'utf8'));
    const { client } = connect();
    const limits = await limitsFor(options, () =>
      client.call(spacesApi.show, { params: { name: args.name } }, io.signal),
    );
    const change = { ...changeOf(options, instructions), ...limits };
    const space = await client.call(spacesApi.set, { params: { name: args.name }, body: change }, io.signal);
    if (options.json) return writeJson(io, space);
    writeLines(io, spaceLines(space));
  },
});

interface Wanted {
  readonly network?: readonly string[] | undefined;
  readonly private?: true | undefined;
  readonly folder?: readonly string[] | undefined;
  readonly host?: readonly string[] | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly image?: string | undefined;
  readonly memory?: number | undefined;
  readonly cpus?: number | undefined;
  readonly gpus?: string | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly preset?: string | undefined;
  readonly steps?: number | undefined;
  readonly tokens?: number | undefined;
  readonly user?: readonly string[] | undefined;
  readonly decider?: readonly string[] | undefined;
  readonly window?: readonly string[] | undefined;
  readonly approve?: readonly string[] | undefined;
  readonly escalate?: readonly string[] | undefined;
}

function changeOf(options: Wanted, instructions: string | undefined): z.input<typeof SetSpace> {
  const { network, folder, host, secret, image, mcp, preset, steps, tokens, user, decider } = options;
  const { window, approve, escalate } = options;
  if (options.private === true && network === undefined) {
    throw new AishError('invalid_body', '--private needs --network');
  }
  return {
    ...(network === undefined ? {} : { network: policyOf(network, options.private === true) }),
    ...(folder === undefined ? {} : { hostFolders: unless('none', folder) ?? [] }),
    ...(host === undefined ? {} : { hosts: unless('none', host) ?? [] }),
    ...(secret === undefined ? {} : { secrets: unless('none', secret) ?? [] }),
    ...(image === undefined ? {} : { image: image === 'none' ? null : image }),
    ...(mcp === undefined ? {} : { mcpServers: unless('none', mcp) === null ? [] : unless('all', mcp) }),
    ...(preset === undefined ? {} : { preset: preset === 'none' ? null : preset }),
    ...(steps === undefined ? {} : { stepBudget: steps === 0 ? null : steps }),
    ...(tokens === undefined ? {} : { tokenBudget: tokens === 0 ? null : tokens }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(user === undefined ? {} : { users: unless('everyone', user) }),
    ...(decider === undefined ? {} : { deciders: unless('everyone', decider) }),
    ...(window === undefined ? {} : { windows: readWindows(window) }),
    ...(approve === undefined ? {} : { approvals: readApprovals(approve) }),
    ...(escalate === undefined ? {} : { escalation: readEscalation(escalate) }),
  };
}

/** Returns the new limits. Limits that are not named stay unchanged. */
async function limitsFor(
  { memory, cpus, gpus }: Wanted,
  before: () => Promise<Space>,
): Promise<Pick<SetSpace, 'limits'>> {
  if (memory === undefined && cpus === undefined && gpus === undefined) return {};
  const limits = { ...(await before().then((space) => space.limits, unlessNew)) };
  const change = (name: 'memoryMb' | 'cpus', value: number | undefined): void => {
    if (value === 0) delete limits[name];
    else if (value !== undefined) limits[name] = value;
  };
  change('memoryMb', memory);
  change('cpus', cpus);
  if (gpus === 'all') limits.gpus = true;
  else if (gpus === 'none') delete limits.gpus;
  return { limits };
}

function unlessNew(error: unknown): Space['limits'] {
  if (error instanceof ApiError && error.code === 'not_found') return {};
  throw error;
}

/** Returns the names, or null if the only word is the one for none or all. */
function unless(word: string, names: readonly string[]): string[] | null {
  return names.length === 1 && names[0] === word ? null : [...names];
}
