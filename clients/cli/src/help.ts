import type { Command } from 'commander';
import { nearestWord } from '@aish/contracts/nearest';
import { any, command, type AnyCommand } from './command.js';
import { EXIT_HELP } from '@aish/client/exit-codes';
import type { Topic } from '@aish/views/commands/command';
import { COMMAND_TABLE, GROUPS, TOPICS } from '@aish/views/commands/table';

const COLUMN = 12;
const WIDTH = 80;

const EXAMPLES = `An AI shell for your homelab. Without a command, aish opens the terminal UI;
--inline leaves the scrollback to the terminal.

  $ aish run "find the three largest files under /usr/share" --watch
  $ aish decide d3 proceed
  $ aish show g4
`;

const MORE = `  aish help COMMAND    show its options and examples, as in: aish help run
  aish help GROUP      list all commands of a group, as in: aish help work
  aish help scripts    show exit codes, and how aish finds server and token
  --url URL, --profile NAME, --token-file FILE    use another server or token
`;

const SCRIPTS = `How aish finds the server:
  --url, else AISH_URL, else --profile, AISH_PROFILE or the default of ~/.config/aish/config.json,
  else what npm start wrote to its data folder

How aish finds the token:
  --token-file, else AISH_TOKEN_FILE, else tokenFile or tokenCommand of the profile,
  else what npm start or aish login wrote to the data folder

The data folder is AISH_DATA, else ~/.local/share/aish.
`;

/** Wrong words that people type, with the commands that they mean. */
const MEANT: Readonly<Record<string, string>> = {
  abort: 'cancel',
  kill: 'stop',
  list: 'goals',
  logs: 'show',
  sandbox: 'show',
  status: 'goals',
  version: '--version',
};

/** The everyday commands, which `aish --help` lists. */
const EVERYDAY = new Set(
  `run ask goals watch show decisions decide stop undo remember recall schedule space setup login doctor`.split(' '),
);

/** Returns `aish --help`: one screen with the everyday commands of each group. */
export function overview(commands: readonly AnyCommand[]): string {
  const parts = Object.entries(TOPICS).map(([topic, about]) => {
    const words = wordsOf(topic, commands);
    const rows = words.filter((word) => EVERYDAY.has(word)).map((word) => row(word, aboutOf(word, commands)));
    const others = words.filter((word) => !EVERYDAY.has(word));
    return `${capital(topic)}: ${about}\n${rows.join('')}${wrapped('also:', others)}`;
  });
  return `${EXAMPLES}\n${parts.join('')}\n${MORE}`;
}

/** Returns the command for `aish help COMMAND` and `aish help GROUP`. */
export function helpCommand(program: () => Command, commands: readonly AnyCommand[]): AnyCommand {
  return command({
    name: 'help',
    about: 'show the help of a command or of a group of commands',
    args: { words: any('a command, or work, knowledge, automation, access, admin, scripts') },
    examples: ['aish help run', 'aish help kb query', 'aish help work'],
    run: ({ args: { words }, io }) => {
      const [first = ''] = words;
      const topic = Object.hasOwn(TOPICS, first) ? TOPICS[first as Topic] : undefined;
      if (first === 'scripts') return void io.stdout.write(`${SCRIPTS}${EXIT_HELP}\n`);
      if (topic !== undefined) return void io.stdout.write(topicHelp(first, topic, commands));
      let at = program();
      for (const word of words) {
        const next = at.commands.find((each) => each.name() === word || each.aliases().includes(word));
        if (next === undefined) return at.error(unknownCommand(at, word));
        at = next;
      }
      at.outputHelp();
    },
  });
}

/** Returns an error such as `error: unknown command 'goal'. Did you mean aish goals?`. */
export function unknownCommand(parent: Command, word: string): string {
  const names = parent.commands.flatMap((each) => [each.name(), ...each.aliases()]).filter((name) => name[0] !== '_');
  const path = pathOf(parent);
  const meant = (parent.parent === null ? MEANT[word] : undefined) ?? nearestWord(word, names);
  return `error: unknown command '${word}'${meant === null ? '' : `. Did you mean ${path} ${meant}?`}`;
}

/** Returns the full name of a command, such as `aish kb list`. */
export function pathOf(at: Command): string {
  return at.parent === null ? at.name() : `${pathOf(at.parent)} ${at.name()}`;
}

function topicHelp(topic: string, about: string, commands: readonly AnyCommand[]): string {
  const rows = wordsOf(topic, commands).map(
    (word) => `${row(word, aboutOf(word, commands))}${membersOf(word, commands)}`,
  );
  return `${capital(topic)}: ${about}\n\n${rows.join('')}\naish help COMMAND shows its options and examples.\n`;
}

const row = (word: string, about: string): string => `  ${word.padEnd(COLUMN - 1)} ${about}\n`;

function aboutOf(word: string, commands: readonly AnyCommand[]): string {
  return commands.find((each) => wordOf(each) === word && isAlone(each))?.about ?? GROUPS[word] ?? '';
}

function membersOf(group: string, commands: readonly AnyCommand[]): string {
  const members = commands.filter((each) => !isAlone(each) && each.name.startsWith(`${group} `));
  return wrapped(
    ' '.repeat(COLUMN - 1),
    members.map(({ name }) => name.slice(group.length + 1)),
  );
}

/** Returns the first words of a topic's commands. */
function wordsOf(topic: string, commands: readonly AnyCommand[]): readonly string[] {
  const shown = commands.filter(({ name, isHidden }) => isHidden !== true && topicOf(name) === topic);
  return [...new Set(shown.map(wordOf))];
}

/** Returns the word for a command: `goals` for `goal list`, and `host` for `host list`. */
const wordOf = ({ name, short = [] }: AnyCommand): string =>
  [name, ...short].find((each) => !each.includes(' ')) ?? name.split(' ')[0] ?? '';
const isAlone = ({ name, short = [] }: AnyCommand): boolean => [name, ...short].some((each) => !each.includes(' '));
const topicOf = (name: string): Topic => COMMAND_TABLE.find((each) => each.name === name)?.topic ?? 'admin';

function wrapped(label: string, words: readonly string[]): string {
  if (words.length === 0) return '';
  const lines = [`  ${label}`];
  for (const [index, word] of words.entries()) {
    const text = index === words.length - 1 ? word : `${word},`;
    const last = lines.at(-1) ?? '';
    if (last.length + 1 + text.length > WIDTH) lines.push(`  ${' '.repeat(label.length)} ${text}`);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return `${lines.join('\n')}\n`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
