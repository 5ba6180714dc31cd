/** What runs a meta command: this program, or the command of `aish` with these words (and the rest after them). */
type Runner =
  | { readonly here: HereCommand }
  | { readonly aish: readonly string[]; readonly reload?: readonly Reload[] };

/** What a command may have changed: lists that are asked for again. */
export type Reload = 'goals' | 'memory' | 'knowledge' | 'sessions';

export type HereCommand =
  | 'model'
  | 'history'
  | 'save'
  | 'resume'
  | 'sessions'
  | 'sessions delete'
  | 'clear'
  | 'norris'
  | 'norris off'
  | 'ask'
  | 'goals'
  | 'delete'
  | 'schedules delete'
  | 'decisions'
  | 'memory'
  | 'knowledge'
  | 'memory clear'
  | 'undo'
  | 'find'
  | 'copy'
  | 'space edit'
  | 'setup'
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
