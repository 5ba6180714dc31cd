/** A group of `aish --help`. */
export interface Topic {
  readonly about: string;
  /** The first words of commands that people need every day, and what each does. */
  readonly everyday: Readonly<Record<string, string>>;
  /** The first words of the others. */
  readonly more: readonly string[];
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  work: {
    about: 'goals, chats and decisions',
    everyday: {
      norris: 'Give a goal (short: run)',
      ask: 'Ask in a chat',
      goals: 'List goals, newest first',
      watch: 'Show what a goal does, live',
      show: 'Show the full history of a goal',
      decisions: 'List what waits for your answer',
      decide: 'Answer a decision',
      stop: 'Stop a goal, a chat, or everything',
      undo: 'Undo what a command changed in files',
    },
    // prettier-ignore
    more: [
      'cancel', 'pause', 'resume', 'continue', 'edit', 'sessions', 'output', 'changes', 'preview', 'snapshots', 'files',
      'export', 'archive', 'unarchive', 'delete', 'grants', 'digest', 'brief',
    ],
  },
  knowledge: {
    about: 'memory and the knowledge base',
    everyday: { remember: 'Keep a fact for all chats', recall: 'Search memory, knowledge base and past chats' },
    more: ['memory', 'kb'],
  },
  automation: {
    about: 'goals that start by themselves',
    everyday: { schedules: 'List schedules (aish norris --every adds one)' },
    more: ['runbook', 'event'],
  },
  access: {
    about: 'what commands may reach',
    everyday: { space: 'Show and change what a space allows' },
    more: ['host', 'secret', 'image', 'mcp', 'sandbox', 'safety'],
  },
  admin: {
    about: 'the server and you',
    everyday: {
      setup: 'Set up a host, a folder, a secret and a first goal',
      login: 'Sign in to a server',
      doctor: 'Check that everything works',
    },
    more: ['models', 'token', 'config', 'backup', 'restore', 'audit', 'health', 'upgrade', 'acp', 'completion'],
  },
};
