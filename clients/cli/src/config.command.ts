import { settingsApi } from '@aish/contracts/endpoints/server';
import { readFileSync } from 'node:fs';
import { AishError } from '@aish/contracts/problems';
import { checkSettings, settings, settingsExample, settingsReference } from '@aish/contracts/settings';
import { isChanged, type ShownSetting } from '@aish/contracts/shown-settings';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { behaviour, flag, maybe } from './command.js';
import { EXIT } from '@aish/client/exit-codes';
import { note, readAll, writeJson, writeLines } from '@aish/client/io';

/** What every deployment makes by itself. Values of the right shape: the check is about the rest. */
const MADE_BY_THE_DEPLOYMENT = {
  DATABASE_URL: 'postgresql://aish@localhost/aish',
  SANDBOX_TOKEN: 'made-by-the-deployment',
  SANDBOX_STATE_DIR: '/var/lib/aish',
  TOKEN_FILE: '/var/lib/aish/token',
};

export const configCheck = behaviour({
  args: { file: maybe('NAME=value lines; - reads standard input; .env when left out', { suggests: 'file' }) },
  json: 'print the faults',
  examples: ['aish config check', 'aish config check ~/.local/share/aish/aish.env'],
  exits: { 0: 'valid', 1: 'not valid' },
  run: async ({ args, options, io, exit }) => {
    const path = args.file ?? '.env';
    const text = path === '-' ? await readAll(io) : readSettings(path);
    const faults = checkSettings(text, {}, MADE_BY_THE_DEPLOYMENT, (name) => readFileSync(name, 'utf8'));
    if (faults.length > 0) exit(EXIT.refused);
    if (options.json) return writeJson(io, { valid: faults.length === 0, faults });
    if (faults.length === 0) return note(io, `${path === '-' ? 'The settings are' : `${path} is`} valid`);
    writeLines(
      io,
      faults.map((fault): Line => [span(fault, 'bad')]),
    );
  },
});

export const configReference = behaviour({
  options: { example: flag('print a settings file with every default, all of it commented out') },
  json: 'print the settings',
  examples: ['aish config list', 'aish config list --example > aish.env'],
  run: ({ options, io }) => {
    if (options.json) return writeJson(io, { items: settings() });
    const text = options.example ? settingsExample() : settingsReference();
    writeLines(
      io,
      text
        .trimEnd()
        .split('\n')
        .map((each) => line(each)),
    );
  },
});

export const configShow = behaviour({
  options: { all: flag('all of them') },
  json: 'print the api’s answer',
  examples: ['aish config show', 'aish config show --all'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(settingsApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    const shown = options.all === true ? list.items : list.items.filter(isChanged);
    if (shown.length === 0)
      return note(io, 'Nothing is set: all is as it comes. See all of it: aish config show --all');
    writeLines(io, shown.flatMap(settingLines));
  },
});

/** `PORT=8080  (environment; usual: 7717)`, and what it is for. */
function settingLines({ name, about, value, byDefault, isSecret, source }: ShownSetting): readonly Line[] {
  const said = isSecret ? (source === 'default' ? 'not set' : 'set') : (value ?? '');
  const usual = isSecret || source === 'default' ? '' : `; usual: ${byDefault ?? 'none'}`;
  return [
    [span(`${name}=`, 'bold'), span(oneLine(said)), span(`  (${source}${usual})`, 'dim')],
    [span(`  ${about}.`, 'dim')],
  ];
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new AishError('invalid_config', `Cannot read ${path} (${why}); name the settings file`);
  }
}
