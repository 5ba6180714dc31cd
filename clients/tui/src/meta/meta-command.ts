import { COMMAND_TABLE } from '@aish/views/commands/table';
import type { Command } from '@aish/views/commands/command';

/** The lists that a command may have changed, so that they must be read again. */
export type Reload = 'goals' | 'memory' | 'knowledge' | 'sessions';

/** A command of the prompt. It is an `aish` command, or a command of the terminal UI. */
export interface MetaCommand {
  /** The name of the command, without the colon. */
  readonly name: string;
  /** Other names of the command. */
  readonly also: readonly string[];
  /** The arguments of the command, as the help shows them. */
  readonly takes?: string;
  readonly does: string;
  /** The `aish` command that runs, or null for a command of the terminal UI. */
  readonly aish: string | null;
}

/** The prompt does not offer these commands, because they wait, take over the terminal, or read hidden input. */
const NOT_HERE = new Set(['acp', 'login', 'watch', 'secret set']);

const own = (name: string, does: string, takes?: string): MetaCommand => ({
  name,
  also: [],
  does,
  aish: null,
  ...(takes === undefined ? {} : { takes }),
});

/** These commands exist only in the terminal UI. */
export const OWN_COMMANDS: readonly MetaCommand[] = [
  own('model', 'Choose the model of this chat, or list models', '[preset]'),
  own('history', 'Show the history of this chat'),
  own('save', 'Give this chat a title', '<title>'),
  own('clear', 'Start a new chat'),
  own('memory', 'Open the memory'),
  own('kb', 'Open the knowledge base'),
  own('space edit', 'Edit what a space allows', '<space>'),
  own('find', 'Search the history', '[text]'),
  own('copy', 'Copy the last answer, its code, or everything', '[answer|code|all]'),
  own('help', 'Show keys and commands'),
  { ...own('quit', 'Quit; goals continue'), also: ['q'] },
];

/** The arguments of these commands differ from those on the command line. */
const TAKES: Readonly<Record<string, string>> = {
  run: '[goal...]',
  cancel: '[goal]',
  resume: '[goal or chat]',
  ask: '<question>',
  steer: '<words...>',
};

/** If no goal or chat is named, these commands apply to the one on the screen. */
export const SHOWN = new Set([
  'set',
  'steer',
  'show',
  'file list',
  'file pull',
  'file push',
  'grant list',
  'memory summarize',
  'memory inject',
]);

/** Every command of the prompt. The help, the completion and the palette are generated from this table. */
export const META_COMMANDS: readonly MetaCommand[] = [
  ...COMMAND_TABLE.filter(({ name }) => !NOT_HERE.has(name)).map(metaOf),
  ...OWN_COMMANDS,
];

function metaOf({ name: full, short = [], takes: written, about }: Command): MetaCommand {
  const spellings = [full, ...short];
  const name = spellings.find((each) => !each.includes(' ')) ?? full;
  const takes =
    TAKES[name] ??
    (written?.replace(/^[<[](?:ref|session|chat)[\]>]/, SHOWN.has(name) ? '[goal or chat]' : '$&') || undefined);
  return {
    name,
    also: spellings.filter((each) => each !== name),
    does: about,
    aish: full,
    ...(takes === undefined ? {} : { takes }),
  };
}

/** The rest of the line after one of these commands is text, including quotes. */
export const TEXT = new Set([
  'remember',
  'recall',
  'resume',
  'steer',
  'safety check',
  'memory list',
  'memory set',
  'memory accept',
  'kb list',
]);

/** Returns whether the command needs an argument. For the goal or chat on the screen, options are enough. */
export const needsMore = ({ takes = '' }: MetaCommand): boolean => takes.startsWith('<');

/** Returns the possible next words, or the kind of names that the server knows. */
export function offersOf({ name, takes = '' }: MetaCommand): readonly string[] | 'presets' | 'sessions' | 'goals' {
  const own = OFFERS[name];
  if (own !== undefined) return own;
  if (/^[<[]chat/.test(takes) || name === 'rename') return 'sessions';
  return /^[<[](?:goal|ref)/.test(takes) ? 'goals' : [];
}

const OFFERS: Readonly<Record<string, readonly string[] | 'presets' | 'sessions'>> = {
  model: 'presets',
  resume: 'sessions',
  copy: ['answer', 'code', 'all'],
  run: ['--steps ', '--space ', '--trust undoable ', '--priority high ', '--priority low '],
};

/** Returns the lists that a command may have changed, by its first word. */
export function reloadsOf(words: string): readonly Reload[] {
  const [first = ''] = words.split(' ');
  if (first === 'memory' || first === 'remember') return ['memory'];
  if (first === 'kb') return ['knowledge'];
  const isWork = ['set', 'archive', 'restore', 'remove', 'rename', 'chat', 'resume'].includes(first);
  return isWork ? ['goals', 'sessions'] : [];
}

/** Old spellings that only the prompt had, as in RENAMED of the command table. */
export const RENAMED_HERE: Readonly<Record<string, string>> = {
  'norris off': 'cancel',
  trust: 'set --trust',
  network: 'set # --network *',
  files: 'file list',
  snapshots: 'undo --list',
  hosts: 'host list',
  spaces: 'space list',
  space: 'space show',
  schedules: 'schedule list',
  mcp: 'mcp list',
  sessions: 'chats',
  'sessions archived': 'chats --archived',
  'goals archived': 'goals --archived',
  sandbox: 'show --access',
  'sandbox carry-over': 'set --carry-over',
  'sandbox folders': 'set --folder *',
};
