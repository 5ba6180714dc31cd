import { closest, distance } from 'fastest-levenshtein';

/** What runs a meta command: this program, or the command of `aish` with these words (and the rest after them). */
type Runner =
  | { readonly here: HereCommand }
  | { readonly aish: readonly string[]; readonly reload?: readonly ('memory' | 'knowledge' | 'sessions')[] };

export type HereCommand =
  | 'model'
  | 'history'
  | 'save'
  | 'resume'
  | 'sessions'
  | 'clear'
  | 'norris'
  | 'norris off'
  | 'ask'
  | 'goals'
  | 'decisions'
  | 'memory'
  | 'knowledge'
  | 'memory clear'
  | 'undo'
  | 'find'
  | 'copy'
  | 'help'
  | 'quit';

export type MetaCommand = Runner & {
  /** The words that name it, without the colon. */
  readonly name: string;
  /** What follows its name, as the help shows it. */
  readonly takes?: string;
  readonly does: string;
  /** It needs what it takes. */
  readonly isBareWrong?: boolean;
  /** Words that may follow; or what the server knows of these. */
  readonly offers?: readonly string[] | 'presets' | 'sessions' | 'goals';
  /** The session that is shown goes in as its first argument. */
  readonly needsSession?: boolean;
  /** The live chat hears of it: it goes in as `--session`, when there is one. */
  readonly reachesChat?: boolean;
  /** What follows is read as a shell reads it: quotes keep words together. */
  readonly hasQuotes?: boolean;
};

/** What is only done once its plan has been seen; quotes keep words together. */
const PLANNED = { isBareWrong: true, hasQuotes: true, reload: ['knowledge'] } as const;

/** Every meta command: the help, completion and what they do follow from this table. */
export const META_COMMANDS: readonly MetaCommand[] = [
  {
    name: 'model',
    takes: '[preset]',
    does: 'ask another model from now on; without a name: which there are',
    here: 'model',
    offers: 'presets',
  },
  { name: 'history', does: 'what was said in this session', here: 'history' },
  { name: 'save', takes: '<title>', does: 'give this session a title', here: 'save', isBareWrong: true },
  {
    name: 'resume',
    takes: '[session]',
    does: 'go on with an earlier session; without a number: the newest',
    here: 'resume',
    offers: 'sessions',
  },
  { name: 'sessions', does: 'the sessions', here: 'sessions' },
  { name: 'clear', does: 'begin a new session', here: 'clear' },
  {
    name: 'norris',
    takes: '[--steps <n>] <goal>',
    does: 'give Norris a goal; without one it asks what the goal is',
    here: 'norris',
    offers: ['off', '--steps '],
  },
  {
    name: 'norris off',
    takes: '[goal]',
    does: 'end a goal that Norris works on, as g4 (asks first); without a name it asks which',
    here: 'norris off',
    offers: 'goals',
  },
  {
    name: 'continue',
    takes: '<goal> [<what is new>]',
    does: 'let a goal that has ended go on',
    aish: ['continue'],
    isBareWrong: true,
    offers: 'goals',
  },
  {
    name: 'ask',
    takes: '<question>',
    does: 'ask about the chosen goal, when it has ended, in its own session',
    here: 'ask',
    isBareWrong: true,
  },
  { name: 'goals', does: 'the goals', here: 'goals' },
  { name: 'decisions', does: 'the decisions that wait', here: 'decisions' },
  { name: 'spaces', does: 'what goals and chats of each space reach', aish: ['space', 'list'] },
  {
    name: 'space',
    takes: '<name>',
    does: 'what goals and chats of a space reach, and who may work there',
    aish: ['space', 'show'],
    isBareWrong: true,
  },
  { name: 'hosts', does: 'other machines: when they were seen, and what was done there last', aish: ['host', 'list'] },
  { name: 'safety patterns', does: 'the rules that stop a command', aish: ['safety', 'patterns'] },
  {
    name: 'safety check',
    takes: '<command>',
    does: 'say whether it is destructive; runs nothing',
    aish: ['safety', 'check'],
    isBareWrong: true,
  },
  {
    name: 'remember',
    takes: '<text>',
    does: 'remember a fact',
    aish: ['remember'],
    isBareWrong: true,
    reachesChat: true,
    reload: ['memory'],
  },
  { name: 'memory', does: 'what is remembered, and what is proposed', here: 'memory' },
  {
    name: 'memory add',
    takes: '<kind> <text>',
    does: 'remember a fact, pref or context',
    aish: ['memory', 'add'],
    isBareWrong: true,
    reachesChat: true,
    offers: ['fact ', 'pref ', 'context '],
    reload: ['memory'],
  },
  { name: 'memory list', does: 'what is remembered', aish: ['memory', 'list'] },
  {
    name: 'memory search',
    takes: '<words>',
    does: 'look for what is remembered',
    aish: ['memory', 'search'],
    isBareWrong: true,
  },
  {
    name: 'memory accept',
    takes: '<number> [<text>]',
    does: 'remember what is proposed, as it is or in other words',
    aish: ['memory', 'accept'],
    isBareWrong: true,
    reload: ['memory'],
  },
  {
    name: 'memory reject',
    takes: '<number>',
    does: 'drop what is proposed',
    aish: ['memory', 'reject'],
    isBareWrong: true,
    reload: ['memory'],
  },
  {
    name: 'memory edit',
    takes: '<number> <text>',
    does: 'put an item in other words',
    aish: ['memory', 'edit'],
    isBareWrong: true,
    reload: ['memory'],
  },
  {
    name: 'memory forget',
    takes: '<number>',
    does: 'forget an item',
    aish: ['memory', 'forget'],
    isBareWrong: true,
    reload: ['memory'],
  },
  { name: 'memory clear', does: 'forget everything (asks first)', here: 'memory clear' },
  {
    name: 'memory summarize',
    does: 'have the model propose what to remember of this session',
    aish: ['memory', 'summarize'],
    needsSession: true,
    reload: ['memory'],
  },
  {
    name: 'memory inject',
    does: 'have this session read the memory again',
    aish: ['memory', 'inject'],
    needsSession: true,
  },
  { name: 'kb', does: 'the knowledge base', here: 'knowledge' },
  { name: 'kb query', takes: '<words>', does: 'look for nodes', aish: ['kb', 'query'], isBareWrong: true },
  { name: 'kb read', takes: '<id>', does: 'one node whole', aish: ['kb', 'read'], isBareWrong: true },
  { name: 'kb lint', does: 'what is wrong with it', aish: ['kb', 'lint'] },
  { name: 'kb curate', does: 'what should be merged, split or thrown away', aish: ['kb', 'curate'] },
  { name: 'kb doctor', does: 'whether all of it works', aish: ['kb', 'doctor'] },
  { name: 'kb sync', does: 'read the files again', aish: ['kb', 'sync'], reload: ['knowledge'] },
  {
    name: 'kb remember',
    takes: '<title> -s "<summary>"',
    does: 'write a node; more of its options: aish kb remember --help',
    aish: ['kb', 'remember'],
    ...PLANNED,
  },
  { name: 'kb merge', takes: '<id> <id>…', does: 'make nodes part of the first', aish: ['kb', 'merge'], ...PLANNED },
  {
    name: 'kb split',
    takes: '<id> ["<headline>"…]',
    does: 'make headlines of a node nodes of their own',
    aish: ['kb', 'split'],
    ...PLANNED,
  },
  {
    name: 'kb supersede',
    takes: '<old> <new>',
    does: 'mark a node as superseded by another',
    aish: ['kb', 'supersede'],
    ...PLANNED,
  },
  { name: 'kb delete', takes: '<id>', does: 'delete a node; git keeps its past', aish: ['kb', 'delete'], ...PLANNED },
  {
    name: 'kb curated',
    takes: '<id>',
    does: 'note that you have looked at a node',
    aish: ['kb', 'curated'],
    ...PLANNED,
  },
  { name: 'kb status', does: 'commit, remote, and what waits to be pushed', aish: ['kb', 'status'] },
  { name: 'kb index', does: 'make the index files anew', aish: ['kb', 'index'], reload: ['knowledge'] },
  { name: 'kb push', does: 'push now', aish: ['kb', 'push'] },
  { name: 'mcp', does: 'the MCP servers', aish: ['mcp', 'list'] },
  { name: 'mcp list', does: 'the MCP servers', aish: ['mcp', 'list'] },
  { name: 'mcp tools', does: 'the tools of all servers', aish: ['mcp', 'tools'] },
  { name: 'mcp tool', takes: '<alias.name>', does: 'all about one tool', aish: ['mcp', 'tool'], isBareWrong: true },
  {
    name: 'mcp connect',
    takes: '<url> [<alias>]',
    does: 'connect a server',
    aish: ['mcp', 'connect'],
    isBareWrong: true,
    hasQuotes: true,
  },
  { name: 'mcp disconnect', takes: '<alias>', does: 'let a server go', aish: ['mcp', 'disconnect'], isBareWrong: true },
  {
    name: 'mcp call',
    takes: "<alias.name> ['<json>']",
    does: 'call a tool yourself',
    aish: ['mcp', 'call'],
    isBareWrong: true,
    hasQuotes: true,
  },
  {
    name: 'files',
    takes: '[path]',
    does: 'the files of this session’s workspace',
    aish: ['files', 'ls'],
    needsSession: true,
  },
  {
    name: 'undo',
    takes: '[<decision>]',
    does: 'take back what a decision let through, without one the newest of the goal (asks first)',
    here: 'undo',
  },
  {
    name: 'snapshots',
    does: 'what :undo can take back in this session',
    aish: ['snapshots'],
    needsSession: true,
  },
  {
    name: 'sandbox',
    does: 'where the commands of this session run, and what they reach',
    aish: ['sandbox', 'show'],
    needsSession: true,
  },
  {
    name: 'sandbox carry-over',
    takes: '<on|off>',
    does: 'whether a command begins where the last one ended',
    aish: ['sandbox', 'carry-over'],
    isBareWrong: true,
    offers: ['on', 'off'],
    needsSession: true,
  },
  {
    name: 'sandbox folders',
    takes: '<names|none>',
    does: 'folders of the host for the commands of this session',
    aish: ['sessions', 'folders'],
    isBareWrong: true,
    needsSession: true,
  },
  { name: 'find', takes: '<text>', does: 'look for a text in what was said', here: 'find' },
  {
    name: 'copy',
    takes: '[answer|code|all]',
    does: 'copy the last answer, its code, or all to the clipboard',
    here: 'copy',
    offers: ['answer', 'code', 'all'],
  },
  { name: 'help', does: 'keys and commands', here: 'help' },
  { name: 'quit', does: 'quit; goals go on without you', here: 'quit' },
];

export type PromptLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'meta'; readonly command: MetaCommand; readonly rest: string }
  | { readonly type: 'wrong'; readonly message: string };

/** Reads what was typed into the prompt. */
export function parsePrompt(text: string): PromptLine {
  const trimmed = text.trim();
  if (!trimmed.startsWith(':')) return { type: 'text', text: trimmed };
  const typed = trimmed.slice(1).trim();
  const command = META_COMMANDS.filter(({ name }) => typed === name || typed.startsWith(`${name} `)).toSorted(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (command === undefined) return { type: 'wrong', message: unknownCommand(typed) };
  const rest = typed.slice(command.name.length).trim();
  if (rest === '' && command.isBareWrong === true) {
    return { type: 'wrong', message: `:${command.name} needs ${command.takes ?? 'more'}` };
  }
  if (rest !== '' && command.takes === undefined) {
    return { type: 'wrong', message: `:${command.name} takes nothing after it` };
  }
  return { type: 'meta', command, rest };
}

/** The words of a line; what stands in quotes is one, without them. A quote that is never closed is a character. */
export function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** `there is no command :sesions; did you mean :sessions?` */
function unknownCommand(typed: string): string {
  const group = META_COMMANDS.filter(({ name }) => name.startsWith(`${typed} `)).map(({ name }) => `:${name}`);
  if (group.length > 0) return `:${typed} needs more: ${group.join(', ')}`;
  const words = typed.split(/\s+/);
  const names = META_COMMANDS.map(({ name }) => name);
  // The words of a command and no more: what follows it says nothing about its name.
  const guesses = [1, 2]
    .map((count) => words.slice(0, count).join(' '))
    .map((said) => ({ said, near: closest(said, names) }));
  const best = guesses.toSorted((a, b) => distance(a.said, a.near) - distance(b.said, b.near))[0];
  const isNear = best !== undefined && distance(best.said, best.near) <= Math.max(2, best.near.length / 3);
  return `there is no command :${words[0] ?? ''}; ${isNear ? `did you mean :${best.near}?` : ':help lists them'}`;
}

/** Completes the word before the cursor of a meta command. `null` when the server must be asked. */
export function completeMeta(text: string): {
  readonly from: number;
  readonly items: readonly { readonly text: string; readonly about: string }[];
  readonly ask: 'presets' | 'sessions' | 'goals' | null;
} {
  const typed = text.replace(/^\s*:\s*/, '');
  const start = text.length - typed.length;
  const names = META_COMMANDS.filter(({ name }) => name.startsWith(typed));
  const inside = META_COMMANDS.filter(({ name }) => typed.startsWith(`${name} `)).toSorted(
    (a, b) => b.name.length - a.name.length,
  )[0];
  if (names.length > 0 && (inside === undefined || names.some(({ name }) => name !== inside.name))) {
    return {
      from: start,
      items: names.map(({ name, takes, does }) => ({ text: takes === undefined ? name : `${name} `, about: does })),
      ask: null,
    };
  }
  if (inside?.offers === undefined) return { from: text.length, items: [], ask: null };
  const from = start + inside.name.length + 1;
  if (typeof inside.offers === 'string') return { from, items: [], ask: inside.offers };
  const word = text.slice(from);
  const items = inside.offers.filter((offer) => offer.startsWith(word)).map((offer) => ({ text: offer, about: '' }));
  return { from, items, ask: null };
}
