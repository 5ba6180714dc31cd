import { homedir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AishError } from '@aish/contracts';
import { ApiError } from './api/api.error.js';

const serverUrl = z.url({ protocol: /^https?$/ });

/** What the client takes from the environment. The token itself is only ever in a file. */
export const ClientConfig = z.object({
  AISH_URL: serverUrl
    .optional()
    .describe('Where the api answers; default: what the launcher wrote, else port 7717 here'),
  AISH_TOKEN_FILE: z.string().optional().describe('File with the bearer token; default: token in the data folder'),
  AISH_DATA: z.string().optional().describe('Data folder of the launcher; default: $XDG_DATA_HOME/aish'),
  XDG_DATA_HOME: z.string().optional().describe('Default: ~/.local/share'),
  NO_COLOR: z.string().optional().describe('Set to anything: no colours'),
  TERM: z.string().optional().describe('The kind of terminal'),
});
export type ClientConfig = z.infer<typeof ClientConfig>;

export interface ServerAddress {
  readonly url: string;
  readonly tokenFile: string;
}

export const DEFAULT_URL = 'http://127.0.0.1:7717';
const ServerFile = z.looseObject({ url: serverUrl });

/**
 * Which server, and where its token is: options before environment before what the launcher left in its data folder.
 * @throws AishError `invalid_config`
 */
export function serverAddress(
  options: { readonly url?: string; readonly tokenFile?: string },
  config: ClientConfig,
): ServerAddress {
  const data = config.AISH_DATA ?? join(config.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'aish');
  const url = checkedUrl(options.url) ?? config.AISH_URL ?? launchedUrl(join(data, 'server.json')) ?? DEFAULT_URL;
  return {
    url: url.replace(/\/+$/, ''),
    tokenFile: options.tokenFile ?? config.AISH_TOKEN_FILE ?? join(data, 'token'),
  };
}

/** @throws ApiError of kind `token`: what is wrong with the file, never what is in it. */
export async function readToken(path: string): Promise<string> {
  const token = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code ?? 'error'})`;
    throw new ApiError(
      'token',
      'no_token',
      `The token file ${path} ${why}; is the server started, or is it elsewhere?`,
    );
  });
  // Anything else would be refused as a header, with the token in the message.
  if (/^[\w.~+/=-]{1,4096}$/.test(token.trim())) return token.trim();
  throw new ApiError('token', 'no_token', `The token file ${path} does not hold a token`);
}

function checkedUrl(url: string | undefined): string | undefined {
  if (url === undefined || serverUrl.safeParse(url).success) return url;
  throw new AishError('invalid_config', `--url must be an http:// or https:// address, not ${url}`);
}

function launchedUrl(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AishError('invalid_config', `Cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  const parsed = ServerFile.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data.url;
  throw new AishError('invalid_config', `${path} should hold {"url": "http://…"}; delete it, or give --url`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // refused by the schema, with the path in the message
  }
}
