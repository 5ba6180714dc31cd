import { keyLabel } from '../keys/binding.js';
import { META_COMMANDS } from '../meta/meta-commands.js';
import type { Place } from '../model.js';
import { KEYS } from '../update/keys/key-table.js';
import type { AnyCommand } from './command.js';
import { EXIT_HELP } from './exit-codes.js';
import { optionName } from './option-name.js';
import { positionalLabel } from './program.js';
import { COMMANDS, GROUPS } from './table.js';

const HEAD = `# Commands

Made of the tables that carry them out, by \`node clients/tui/dist/cli/commands.main.js\` (after \`npm run build\`). Do not edit.
\`aish COMMAND --help\` says the same. Where server and token come from: \`aish --help\`.
`;

/** docs/commands.md: every command of `aish`, every meta command and every key of the terminal UI. */
export function commandsReference(): string {
  const shown = COMMANDS.filter(({ isHidden }) => isHidden !== true);
  const groups = Object.entries(GROUPS).map(([name, about]) => `- \`aish ${name}\`: ${about}`);
  return [
    HEAD,
    EXIT_HELP.trim()
      .replace('Exit codes:', '## Exit codes\n')
      .replaceAll(/^ {2}(\d+) {2}/gm, '- $1: '),
    `\n## For scripts\n\nGroups of commands:\n\n${groups.join('\n')}\n`,
    ...shown.map(commandPart),
    metaPart(),
    keyPart(),
  ].join('\n');
}

function commandPart({ name, about, args = {}, options = {}, json, examples, exits = {} }: AnyCommand): string {
  const words = Object.entries(args).map(([key, positional]) => ` ${positionalLabel(key, positional)}`);
  const rows = [
    ...Object.entries(args).map(([key, { about: what, choices }]) => [key, withChoices(what, choices)]),
    ...Object.entries(options).map(([key, { short, takes, about: what, choices }]) => {
      const names = short === undefined ? optionName(key) : `${short}, ${optionName(key)}`;
      return [takes === undefined ? names : `${names} <${takes}>`, withChoices(what, choices)];
    }),
    ...(json === undefined ? [] : [['--json', json]]),
  ];
  const table = rows.map(([what, does]) => `| \`${what}\` | ${cell(does ?? '')} |`);
  const codes = Object.entries(exits).map(([code, meaning]) => `${code}: ${meaning}`);
  return [
    `### aish ${name}${words.join('')}\n`,
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.\n`,
    ...(table.length === 0 ? [] : [`| | |\n|---|---|\n${table.join('\n')}\n`]),
    ...examples.map((example) => `    $ ${example}`),
    ...(codes.length === 0 ? [] : [`\nExit codes: ${codes.join('; ')}.`]),
    '',
  ].join('\n');
}

function withChoices(about: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? about : `${about}: ${choices.join(', ')}`;
}

function metaPart(): string {
  const rows = META_COMMANDS.map(
    ({ name, takes, does }) =>
      `| \`:${name}${takes === undefined ? '' : ` ${takes.replaceAll('|', '\\|')}`}\` | ${cell(does)} |`,
  );
  return `## In the terminal UI\n\n| | |\n|---|---|\n${rows.join('\n')}\n`;
}

function keyPart(): string {
  const rows = KEYS.flatMap(({ keys, help, places, action }) =>
    help === null
      ? []
      : [
          `| ${keys.map((key) => `\`${keyLabel(key)}\``).join(', ')} | ${cell(help)} | ${where(places)} | \`${action}\` |`,
        ],
  );
  const about = `Other keys for an action: \`"keys": { "ACTION": ["ctrl-s"] }\` in \`~/.config/aish/config.json\`.

A letter answers when it stands alone: no text in the second before it, no other key in the half second after it, in which
any other key takes it back. That holds at a HALT or a confirmation, for the y of a plan or a question, for the x of a
grant, and for proposals that came up by themselves. What is typed on decides nothing and goes into the prompt, which shows
it; \`Ctrl-D\` brings the question back. \`aish watch\` and \`aish ask\` take p, s and a in the same way.`;
  return `## Keys\n\n${about}\n\n| key | does | where | action |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function where(places: readonly Place[]): string {
  return places.length > 3 ? '' : places.join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
