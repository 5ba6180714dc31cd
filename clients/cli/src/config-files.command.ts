import { plural } from '@aish/contracts/plural';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AppliedConfig, ConfigChange } from '@aish/contracts/config-document';
import { CONFIG_FILES } from '@aish/contracts/config-document';
import { configFiles, readConfigFiles, type ReadConfig } from '@aish/contracts/config-files';
import { configApi } from '@aish/contracts/endpoints/server';
import { AishError } from '@aish/contracts/problems';
import { EXIT } from '@aish/client/exit-codes';
import { ApiError } from '@aish/client/api.error';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import type { Transport } from '@aish/client/transport';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import { askYes } from './ask-yes.js';
import { behaviour, flag, one } from './command.js';
import { readHidden } from './read-hidden.js';

const VALUE_MAX_CHARS = 200;
const Faults = z.array(z.object({ path: z.string(), message: z.string() }));
const dir = one('folder with the YAML files', (text) => text, { suggests: 'file' });

export const configExport = behaviour({
  args: { dir },
  json: 'print the document of all files',
  examples: ['aish config export homelab'],
  run: async ({ args, options, io, connect }) => {
    const config = await connect().client.call(configApi.show, {}, io.signal);
    mkdirSync(args.dir, { recursive: true });
    const files = configFiles(config);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(args.dir, name), text);
    if (options.json) return writeJson(io, config);
    note(io, `Wrote ${Object.keys(files).length} files to ${args.dir}. They contain no values of secrets.`);
  },
});

export const configApply = behaviour({
  args: { dir },
  options: { dryRun: flag('only show the differences'), yes: flag('apply without asking', '-y') },
  json: 'print what was applied; with --dry-run, the differences',
  examples: ['aish config apply homelab --dry-run', 'aish config apply homelab', 'aish config apply homelab --yes'],
  exits: { 1: 'refused, or you said no; with --dry-run: at least one difference' },
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const read = readDir(args.dir);
    const { changes, base, needs } = await send(client, read, { dryRun: true }, io);
    if (options.dryRun && changes.length > 0) exit(EXIT.refused);
    if (options.dryRun && options.json) return writeJson(io, { items: changes });
    if (changes.length === 0 && !options.json) return note(io, 'The files and the server are the same.');
    if (!options.json) writeLines(io, changes.flatMap(changeLines));
    if (options.dryRun) return;
    if (
      options.yes !== true &&
      !(await askYes(io, `Apply ${changes.length === 1 ? 'this change' : `these ${changes.length} changes`}?`))
    ) {
      exit(EXIT.refused);
      return note(io, 'Nothing has changed.');
    }
    const secrets = await readValues(needs, io);
    const applied = await send(client, read, { dryRun: false, base, secrets }, io);
    if (options.json) return writeJson(io, applied);
    writeLines(io, appliedLines(applied));
  },
});

function readDir(path: string): ReadConfig {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new AishError('invalid_config', `Cannot read the folder ${path} (${why})`);
  }
  const known = CONFIG_FILES.map((file) => `${file}.yaml`);
  const strange = names.find((name) => name.endsWith('.yaml') && !known.includes(name));
  if (strange !== undefined) {
    throw new AishError(
      'invalid_config',
      `${strange} is not a configuration file of aish. The files are ${known.join(', ')}`,
    );
  }
  const found = known.filter((name) => names.includes(name));
  if (found.length === 0)
    throw new AishError('invalid_config', `${path} contains none of these files: ${known.join(', ')}`);
  return readConfigFiles(Object.fromEntries(found.map((name) => [name, readFileSync(join(path, name), 'utf8')])));
}

/** Reads the values of secrets: hidden at a terminal, and otherwise one per line. */
async function readValues(names: readonly string[], io: Io): Promise<Record<string, string>> {
  const lines = io.stdin.isTTY === true || names.length === 0 ? null : new LineAsker(io);
  const values: Record<string, string> = {};
  try {
    for (const name of names) {
      const question = `Value of ${name}: `;
      const value = lines === null ? await readHidden(io, question) : await lines.ask(question);
      if (value === null)
        throw new AishError(
          'invalid_body',
          `${name} has no value. Enter one value per line, or run this at a terminal`,
        );
      values[name] = value;
    }
  } finally {
    lines?.close();
  }
  return values;
}

/** Sends the files. An error from the server names the file and the line. */
async function send(
  client: Transport,
  { config, placeOf }: ReadConfig,
  more: { readonly dryRun: boolean; readonly base?: string; readonly secrets?: Record<string, string> },
  io: Io,
): Promise<AppliedConfig> {
  try {
    return await client.call(configApi.apply, { body: { config, ...more } }, io.signal);
  } catch (error) {
    const [fault] = (error instanceof ApiError ? Faults.safeParse(error.facts['errors']).data : undefined) ?? [];
    if (fault === undefined) throw error;
    throw new AishError('invalid_config', `${placeOf(fault.path)}: ${oneLine(fault.message)}. Nothing has changed.`);
  }
}

const SIGNS = { add: '+', set: '~', remove: '-' } as const;
const STYLES = { add: 'good', set: 'warn', remove: 'bad' } as const;

function changeLines({ change, what, fields }: ConfigChange): readonly Line[] {
  const value = (text: string | null): string => (text === null ? 'nothing' : oneLine(text).slice(0, VALUE_MAX_CHARS));
  return [
    [span(`${SIGNS[change]} ${oneLine(what)}`, STYLES[change])],
    ...fields.map(({ name, from, to }) =>
      line(`    ${oneLine(name)}: ${change === 'add' ? value(to) : `${value(from)} → ${value(to)}`}`),
    ),
  ];
}

function appliedLines({ changes, sources, hosts }: AppliedConfig): readonly Line[] {
  return [
    line(`Applied ${plural(changes.length, 'change')}.`),
    ...sources.map(({ name, secret }) =>
      line(`Secret of the event source ${name}, shown only now: ${oneLine(secret)}`),
    ),
    ...hosts.flatMap(({ name, authorizedKeys }) => [
      line(`Add this line to ~/.ssh/authorized_keys on ${name}:`),
      line(oneLine(authorizedKeys)),
    ]),
  ];
}
