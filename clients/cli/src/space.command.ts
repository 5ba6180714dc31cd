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

const NAME = one('the name of a space, as media');

export const spaceSet = behaviour({
  args: { name: NAME },
  options: {
    network: repeated('host', 'host[:port,…], *.name or an address that commands reach, or none; can be repeated'),
    private: flag('the hosts of --network are of the local network: private addresses are meant'),
    folder: repeated('name', 'a folder of the host that commands get, or none; can be repeated'),
    host: repeated('name', 'a machine that commands use over SSH, or none; can be repeated'),
    secret: repeated('name', 'a secret that commands may use, or none; can be repeated'),
    image: option('name', 'what commands run in (aish image list), or none for the usual image'),
    memory: option('MB', 'memory of one command; 0 for the usual', { read: wholeOrZero }),
    cpus: option('n', 'processors of one command; 0 for the usual', { read: wholeOrZero }),
    gpus: choice('which', 'all GPUs of the host, where the sandbox may give them away, or none', ['all', 'none']),
    mcp: repeated('alias', 'an MCP server whose tools models have, or all, or none; can be repeated'),
    preset: option('name', 'model preset, or none'),
    steps: option('n', 'steps of a goal that says nothing else; 0 for the usual ones', { read: wholeOrZero }),
    tokens: option('n', 'tokens of a goal that says nothing else; 0 for no bound', { read: wholeOrZero }),
    instructions: option('file', 'what the model is told at the start, Markdown; an empty file for nothing', {
      suggests: 'file',
    }),
    user: repeated('person', 'who may give goals and chat there, beside admins, or everyone; can be repeated'),
    decider: repeated('person', 'who may give verdicts there, beside admins, or everyone; can be repeated'),
    window: repeated(
      'when',
      'when changes may be made, as "sat,sun 02:00-05:00 Europe/Berlin", or none; can be repeated',
    ),
    approve: repeated(
      'rule',
      'how many people let run what these rules stop, as "2 files.*,disks.*" or "2 destructive not-author", or none; can be repeated',
    ),
    escalate: repeated(
      'step',
      'who is told next of what nobody answers, as "30m mail bob@example.org", or none; can be repeated',
    ),
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

/** Limits that are not named stay as they are. */
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

/** The names, or null where the one word stands for none or all. */
function unless(word: string, names: readonly string[]): string[] | null {
  return names.length === 1 && names[0] === word ? null : [...names];
}
