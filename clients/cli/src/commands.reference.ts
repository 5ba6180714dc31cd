import { type AnyCommand, optionName } from './command.js';
import { EXIT_HELP } from '@aish/client/exit-codes';
import { positionalLabel } from './program.js';
import { GROUPS } from '@aish/views/commands/table';
import { COMMANDS } from './table.js';

const HEAD = `# Commands

Made of the tables that carry them out, by \`node clients/cli/dist/commands.main.js\` (after \`npm run build\`). Do not edit.
\`aish COMMAND --help\` says the same. Where server and token come from: \`aish help scripts\`.
`;

/** Returns docs/commands.md: every command of `aish`, and the commands of the terminal UI. */
export function commandsReference(inTui: string): string {
  const shown = COMMANDS.filter(({ isHidden }) => isHidden !== true);
  const groups = Object.entries(GROUPS).map(([name, about]) => `- \`aish ${name}\`: ${about}`);
  return [
    HEAD,
    EXIT_HELP.trim()
      .replace('Exit codes:', '## Exit codes\n')
      .replaceAll(/^ {2}(\d+) {2}/gm, '- $1: '),
    `\n## For scripts\n\nGroups of commands:\n\n${groups.join('\n')}\n`,
    ...shown.map(commandPart),
    inTui,
  ].join('\n');
}

function commandPart({
  name,
  short = [],
  about,
  args = {},
  options = {},
  json,
  examples,
  exits = {},
}: AnyCommand): string {
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
    ...(short.length === 0 ? [] : [`Short: ${short.map((each) => `\`aish ${each}\``).join(', ')}\n`]),
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
