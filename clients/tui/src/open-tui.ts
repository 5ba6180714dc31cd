import { ApiClient } from '@aish/client/api.client';
import { EXIT, NEEDS_TERMINAL, type ExitCode } from '@aish/client/exit-codes';
import { note, type Io } from '@aish/client/io';
import { historyPath, keptFolder } from '@aish/client/config';
import { tokenOf } from '@aish/client/token';
import { serverAddress, type ServerOptions } from '@aish/client/server-address';
import { editText } from './external-editor.js';
import { InputHistory } from './input-history.js';
import { KeptTerminal, type Whereabouts } from './kept-terminal.js';
import { MetaRunner, type RunCommand } from './meta/meta-runner.js';
import { configPath, readProfile } from '@aish/client/profile';
import { terminalKind } from './screen/terminal.js';
import { setUp } from './set-up.js';
import { Story } from './timeline/story.js';
import { runTui } from './tui.js';

/** The server, and how the terminal UI is drawn. */
export interface TuiChoice extends ServerOptions {
  /** Leaves the scrollback to the terminal. */
  readonly inline?: boolean;
}

/**
 * Opens the terminal UI for the selected server. @param runCommand runs the `aish` commands that people type there
 * @returns the exit code. @throws AishError `invalid_config`
 */
export async function openTui(options: TuiChoice, io: Io, runCommand: RunCommand): Promise<ExitCode> {
  const { config, signal } = io;
  const address = serverAddress(options, config);
  const { keyMap, hasMouse } = readProfile(configPath(config), options.profile ?? config.AISH_PROFILE);
  const terminal = terminalKind(config.TERM);
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || terminal === null) {
    note(io, NEEDS_TERMINAL);
    return EXIT.usage;
  }
  const named = optionsOf(options);
  const tui = {
    client: new ApiClient({ baseUrl: address.url, readToken: () => tokenOf(address) }),
    server: address.url,
    terminal,
    hasColour: config.NO_COLOR === undefined,
    hasMouse,
    story: options.inline === true ? new Story() : null,
    keyMap,
    history: new InputHistory(historyPath(config)),
    meta: new MetaRunner(config, named, runCommand),
    edit: (text: string) => editText(text, io),
    kept: new KeptTerminal(keptFolder(config)),
    signal,
  };
  for (let from: Whereabouts | null = null; ;) {
    from = await runTui({ ...tui, from });
    if (from === null || signal.aborted) return EXIT.ok;
    await setUp(named, io);
  }
}

/** Returns the options as arguments, for commands that run inside the terminal UI. */
function optionsOf({ url, tokenFile, profile }: ServerOptions): string[] {
  return [
    ...(url === undefined ? [] : ['--url', url]),
    ...(tokenFile === undefined ? [] : ['--token-file', tokenFile]),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ];
}
