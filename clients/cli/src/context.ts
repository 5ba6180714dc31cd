import type { Command } from 'commander';
import { ApiClient } from '../api/api.client.js';
import { tokenOf } from '../token.js';
import { serverAddress, type ServerAddress, type ServerOptions } from '../server-address.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

/** Opens the terminal UI for the server that the options name; resolves to what the process ends with. */
export type OpenTui = (options: ServerOptions) => Promise<ExitCode>;

/** What every command is given. */
export interface Context {
  readonly io: Io;
  /** What the process ends with, if not 0. */
  readonly exit: (code: ExitCode) => void;
  readonly openTui: OpenTui;
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
