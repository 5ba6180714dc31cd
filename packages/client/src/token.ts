import { readFile } from 'node:fs/promises';
import { ApiError } from './api.error.js';
import { tokenOfCommand } from './profile.js';
import type { ServerAddress } from './server-address.js';

/**
 * Returns the bearer token.
 *
 * @throws ApiError of kind `token`. It never repeats the token.
 */
export async function tokenOf({ url, token }: ServerAddress): Promise<string> {
  if ('file' in token) return readToken(token.file, url);
  const [program = ''] = token.command;
  return checkedToken(`command ${program}`)(await tokenOfCommand(token.command));
}

/** @throws ApiError of kind `token`. It never repeats the content of the file. */
async function readToken(path: string, url: string): Promise<string> {
  const token = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT'
        ? `You are not signed in to ${url} on this machine. Sign in: aish login ${url}`
        : `Cannot read the token file ${path} (${error.code ?? 'error'}). Make it readable, or sign in again: aish login ${url}`;
    throw new ApiError('token', 'no_token', why);
  });
  return checkedToken(`file ${path}`)(token);
}

/**
 * The characters that a token may have. Node would refuse any other text as a header, with the token in the message.
 */
const checkedToken =
  (source: string) =>
  (token: string): string => {
    if (/^[\w.~+/=-]{1,4096}$/.test(token.trim())) return token.trim();
    throw new ApiError('token', 'no_token', `The token ${source} does not contain a token. Sign in: aish login`);
  };
