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

/**
 * Every deployment generates these settings. The values here only have the right shape, because the check is about the
 * other settings.
 */
const MADE_BY_THE_DEPLOYMENT = {
  DATABASE_URL: 'postgresql://aish@localhost/aish',
  SANDBOX_TOKEN: 'made-by-the-deployment',
  SANDBOX_STATE_DIR: '/var/lib/aish',
  TOKEN_FILE: '/var/lib/aish/token',
};

export const configCheck = behaviour({
  args: { file: maybe('file of NAME=value lines, or - for stdin (default: .env)', { suggests: 'file' }) },
  json: 'print the problems',
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

export const configShow = behaviour({
  options: {
    all: flag('show all settings of the server'),
    defaults: flag('list all settings with their defaults, without a server'),
    example: flag('print a settings file with all defaults, commented out'),
  },
  json: 'print the settings',
  examples: ['aish config show', 'aish config show --all', 'aish config show --example > aish.env'],
  run: async ({ options, io, connect }) => {
    if (options.defaults || options.example) {
      if (options.json) return writeJson(io, { items: settings() });
      const text = options.example ? settingsExample() : settingsReference();
      const lines = text.trimEnd().split('\n');
      return writeLines(
        io,
        lines.map((each) => line(each)),
      );
    }
    const list = await connect().client.call(settingsApi.list, {}, io.signal);
    if (options.json) return writeJson(io, list);
    const shown = options.all === true ? list.items : list.items.filter(isChanged);
    if (shown.length === 0) return note(io, 'All settings have their defaults. Show all: aish config show --all');
    writeLines(io, shown.flatMap(settingLines));
  },
});

/** Returns a line such as `PORT=8080 (environment; usual: 7717)`, and the setting's description. */
function settingLines({ name, about, value, byDefault, isSecret, source }: ShownSetting): readonly Line[] {
  const shownValue = isSecret ? (source === 'default' ? 'not set' : 'set') : (value ?? '');
  const usual = isSecret || source === 'default' ? '' : `; usual: ${byDefault ?? 'none'}`;
  return [
    [span(`${name}=`, 'bold'), span(oneLine(shownValue)), span(`  (${source}${usual})`, 'dim')],
    [span(`  ${about}.`, 'dim')],
  ];
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'error';
    throw new AishError('invalid_config', `Cannot read ${path} (${why}). Name the settings file`);
  }
}
