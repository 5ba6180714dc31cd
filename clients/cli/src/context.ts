import type { Command } from 'commander';
import { ApiClient } from '@aish/client/api.client';
import { tokenOf } from '@aish/client/token';
import { serverAddress, type ServerAddress, type ServerOptions } from '@aish/client/server-address';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';

/**
 * Opens the terminal UI for the selected server. Resolves to the exit code. With `inline`, the scrollback is left to the
 * terminal.
 */
export type OpenTui = (options: ServerOptions & { readonly inline?: boolean }) => Promise<ExitCode>;

/** Runs as an editor's agent on stdin and stdout until the editor closes stdin. */
export type ServeEditor = (
  client: ApiClient,
  io: Io,
  options: { readonly space: string | undefined; readonly preset: string | undefined },
) => Promise<void>;

/** The programs that a command may start. `main` passes them in, so that commands need not import them. */
export interface Programs {
  readonly openTui: OpenTui;
  readonly serveEditor: ServeEditor;
}

/** The context that every command receives. */
export interface Context extends Programs {
  readonly io: Io;
  /** Sets the exit code of the process, if it is not 0. */
  readonly exit: (code: ExitCode) => void;
}

export interface Connected {
  readonly client: ApiClient;
  readonly address: ServerAddress;
}

/** The client for the server that options, environment and profile select. */
export function connect(command: Command, { io }: Context): Connected {
  const address = serverAddress(command.optsWithGlobals<ServerOptions>(), io.config);
  const client = new ApiClient({ baseUrl: address.url, readToken: () => tokenOf(address) });
  return { client, address };
}
