import type { Command } from 'commander';
import { ApiClient } from '../api/api.client.js';
import { readToken, serverAddress, type ServerAddress } from '../config.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

/** What every command is given. */
export interface Context {
  readonly io: Io;
  /** What the process ends with, if not 0. */
  readonly exit: (code: ExitCode) => void;
}

export interface Connected {
  readonly client: ApiClient;
  readonly address: ServerAddress;
}

/** The client for the server that the options and the environment name. */
export function connect(command: Command, { io }: Context): Connected {
  const address = serverAddress(command.optsWithGlobals<{ url?: string; tokenFile?: string }>(), io.config);
  const client = new ApiClient({ baseUrl: address.url, readToken: () => readToken(address.tokenFile) });
  return { client, address };
}
