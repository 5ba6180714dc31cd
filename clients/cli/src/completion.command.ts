import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { ApiClient } from '@aish/client/api.client';
import { oneLine } from '@aish/views/sanitise';
import { any, command, oneOf, type AnyCommand, type Suggests } from './command.js';
import { completionsFor, type Candidate } from './complete.js';
import { COMPLETION_SCRIPTS } from './completion.scripts.js';

/** The time limit for completion, because a person pressed Tab and is waiting. */
const TIMEOUT_MS = 1_500;
const ABOUT_MAX_CHARS = 60;

/** Returns the commands that shells call for completion. They need the table that contains them. */
export function completionCommands(
  commands: readonly AnyCommand[],
  groups: Readonly<Record<string, string>>,
): readonly AnyCommand[] {
  const completion = command({
    name: 'completion',
    about: 'Print a completion script for your shell’s start file',
    args: { shell: oneOf('which shell', ['bash', 'zsh', 'fish']) },
    examples: [
      'source <(aish completion bash)                          # in ~/.bashrc',
      'source <(aish completion zsh)                           # in ~/.zshrc, after compinit',
      'aish completion fish > ~/.config/fish/completions/aish.fish',
    ],
    run: ({ args, io }) => void io.stdout.write(COMPLETION_SCRIPTS[args.shell]),
  });
  const complete = command({
    name: '__complete',
    about: 'Print candidates for the last word, one per line (for shells)',
    args: { words: any('the words after aish') },
    examples: ['aish __complete -- goals --st'],
    isHidden: true,
    takesAnyOption: true,
    run: async ({ args, io, connect }) => {
      const { items, suggests } = completionsFor([...commands, completion], groups, args.words);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      // Errors are not printed, because the shell would print them into the line that a person is typing.
      const known = suggests === null ? [] : await suggested(connect().client, suggests, signal).catch(() => []);
      const lines = [...items, ...known].map(
        ({ text, about }) => `${text}\t${oneLine(about).slice(0, ABOUT_MAX_CHARS)}\n`,
      );
      io.stdout.write(lines.join(''));
    },
  });
  return [completion, complete];
}

async function suggested(client: ApiClient, suggests: Suggests, signal: AbortSignal): Promise<readonly Candidate[]> {
  switch (suggests) {
    case 'goal': {
      const { items } = await client.call(goalsApi.list, { query: { limit: 50 } }, signal);
      return items.map(({ number, state, text }) => ({ text: String(number), about: `${state}: ${text}` }));
    }
    case 'decision': {
      const { items } = await client.call(decisionsApi.list, { query: { state: 'pending', limit: 500 } }, signal);
      return items.map(({ number, action }) => ({ text: `d${number}`, about: action }));
    }
    case 'session': {
      const { items } = await client.call(sessionsApi.list, { query: { limit: 50 } }, signal);
      return items.map(({ number, title }) => ({ text: String(number), about: title }));
    }
    case 'file':
      return []; // the shell itself completes file names
  }
}
