import { readFile } from 'node:fs/promises';
import { ApiError } from './api.error.js';
import { tokenOfCommand } from './profile.js';
import type { ServerAddress } from './server-address.js';

/** The bearer token. @throws ApiError of kind `token`: what is wrong, never what is in it. */
export async function tokenOf({ url, token }: ServerAddress): Promise<string> {
  if ('file' in token) return readToken(token.file, url);
  const [program = ''] = token.command;
  return checkedToken(`command ${program}`)(await tokenOfCommand(token.command));
}

/** @throws ApiError of kind `token`: what is wrong with the file, never what is in it. */
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

/** Anything else would be refused as a header, with the token in the message. */
const checkedToken =
  (source: string) =>
  (token: string): string => {
    if (/^[\w.~+/=-]{1,4096}$/.test(token.trim())) return token.trim();
    throw new ApiError('token', 'no_token', `The token ${source} does not hold a token. Get one: aish login`);
  };
