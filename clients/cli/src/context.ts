import type { Command } from 'commander';
import { ApiClient } from '@aish/client/api.client';
import { tokenOf } from '@aish/client/token';
import { serverAddress, type ServerAddress, type ServerOptions } from '@aish/client/server-address';
import type { ExitCode } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';

/** Opens the terminal UI for the server that the options name; resolves to what the process ends with. */
export type OpenTui = (options: ServerOptions) => Promise<ExitCode>;

/** Be the agent of an editor on stdin and stdout until it closes stdin. */
export type ServeEditor = (
  client: ApiClient,
  io: Io,
  options: { readonly space: string | undefined; readonly preset: string | undefined },
) => Promise<void>;

/** Programs that a command may start; `main` passes them in, so that commands import neither. */
export interface Programs {
  readonly openTui: OpenTui;
  readonly serveEditor: ServeEditor;
}

/** What every command is given. */
export interface Context extends Programs {
  readonly io: Io;
  /** What the process ends with, if not 0. */
  readonly exit: (code: ExitCode) => void;
}

export interface Connected {
  readonly client: ApiClient;
  readonly address: ServerAddress;
}

/** The client for the server that options, environment and profile name. */
export function connect(command: Command, { io }: Context): Connected {
  const address = serverAddress(command.optsWithGlobals<ServerOptions>(), io.config);
  const client = new ApiClient({ baseUrl: address.url, readToken: () => tokenOf(address) });
  return { client, address };
}
