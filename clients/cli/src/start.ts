import { parseArgs } from 'node:util';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';
import type { TuiChoice } from '@aish/tui/open-tui';
import { asProcess } from './as-process.js';
import type { ServeEditor } from './context.js';

/**
 * Runs `aish` as a process: the commands, the terminal UI, or an editor's agent. @param takeBack removes the first
 * screen of the terminal UI, which is already visible; null for a command
 */
export function start(args: readonly string[], takeBack: (() => void) | null): Promise<number> {
  return asProcess((io) => (takeBack === null ? runCommand(args, io) : runTui(args, io)), takeBack ?? undefined);
}

// These modules are loaded where they are needed: commands do not wait for the screen, and the screen does not wait for
// the parser.
const openTui = async (server: TuiChoice, io: Io): Promise<ExitCode> => {
  const { openTui: open } = await import('@aish/tui/open-tui');
  return open(server, io, async (words, inside) => (await import('./run.js')).runCli(words, inside));
};
const serveEditor: ServeEditor = async (...given) => {
  const { serveEditor: serve } = await import('@aish/acp/serve-editor');
  return serve(...given);
};

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const { runCli } = await import('./run.js');
  return runCli(args, io, { openTui: (server) => openTui(server, io), serveEditor });
}

/** Runs the terminal UI, which does not need a command parser. */
async function runTui(args: readonly string[], io: Io): Promise<number> {
  const options = {
    url: { type: 'string' },
    'token-file': { type: 'string' },
    profile: { type: 'string' },
    inline: { type: 'boolean' },
  } as const;
  const { url, profile, inline = false, 'token-file': tokenFile } = parseArgs({ args: [...args], options }).values;
  const server: TuiChoice = {
    inline,
    ...(url === undefined ? {} : { url }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(profile === undefined ? {} : { profile }),
  };
  return openTui(server, io);
}
