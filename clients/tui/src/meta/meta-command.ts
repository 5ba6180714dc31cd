import { COMMAND_TABLE } from '@aish/views/commands/table';
import type { Command } from '@aish/views/commands/command';

/** What a command may have changed: lists that are asked for again. */
export type Reload = 'goals' | 'memory' | 'knowledge' | 'sessions';

/** A command of the prompt: one of `aish`, or one of this program. */
export interface MetaCommand {
  /** The words that name it, without the colon. */
  readonly name: string;
  /** Other words for it. */
  readonly also: readonly string[];
  /** What follows its name, as the help shows it. */
  readonly takes?: string;
  readonly does: string;
  /** The words of `aish` that it runs; null: this program does it itself. */
  readonly aish: string | null;
}

/** They wait, take over the terminal, or read what a prompt must not show. */
const NOT_HERE = new Set(['acp', 'login', 'watch', 'secret set']);

const own = (name: string, does: string, takes?: string): MetaCommand => ({
  name,
  also: [],
  does,
  aish: null,
  ...(takes === undefined ? {} : { takes }),
});

/** What only the terminal has. */
export const OWN_COMMANDS: readonly MetaCommand[] = [
  own('model', 'Choose the model of this chat; without a name, list models', '[preset]'),
  own('history', 'Show what was said in this chat'),
  own('save', 'Give this chat a title', '<title>'),
  own('clear', 'Start a new chat'),
  own('memory', 'Open the memory'),
  own('kb', 'Open the knowledge base'),
  own('space edit', 'Write what a space allows into the prompt, to change it', '<space>'),
  own('find', 'Search in what was said', '[text]'),
  own('copy', 'Copy the last answer, its code, or all', '[answer|code|all]'),
  own('help', 'Show keys and commands'),
  own('quit', 'Quit; goals go on without you'),
];

/** What the prompt takes where it differs from the command line. */
const TAKES: Readonly<Record<string, string>> = {
  run: '[goal...]',
  cancel: '[goal]',
  resume: '[goal or chat]',
  ask: '<question>',
};

/** Without the name of a goal or chat they are about the one that is shown. */
export const SHOWN = new Set([
  'set',
  'show',
  'file list',
  'file pull',
  'file push',
  'grant list',
  'memory summarize',
  'memory inject',
]);

/** Every command of the prompt: help, completion and the palette are made of this. */
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

/** What follows them is text, quotes included. */
export const TEXT = new Set([
  'remember',
  'recall',
  'continue',
  'safety check',
  'memory list',
  'memory set',
  'memory accept',
  'kb list',
]);

/** It cannot do without what it takes. Options are enough for what is about the shown goal or chat. */
export const needsMore = ({ takes = '' }: MetaCommand): boolean => takes.startsWith('<');

/** Words that may follow; or what the server knows of these. */
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

/** The lists that a command may have changed, by its first word. */
export function reloadsOf(words: string): readonly Reload[] {
  const [first = ''] = words.split(' ');
  if (first === 'memory' || first === 'remember') return ['memory'];
  if (first === 'kb') return ['knowledge'];
  const isWork = ['set', 'archive', 'restore', 'remove', 'rename', 'chat', 'continue'].includes(first);
  return isWork ? ['goals', 'sessions'] : [];
}

/** Spellings of earlier versions that only the prompt had; as RENAMED of the table. */
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
