import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { beginSignIn, fetchSignIn } from '../api/sign-in.api.js';
import { line } from '../text/line.js';
import { command, flag, option } from './command.js';
import { note, writeJson, writeLines } from './io.js';

const ASK_EVERY_MS = 2_000;

export const login = command({
  name: 'login',
  about: 'sign in through the provider of the household; keeps the token for this address',
  options: {
    out: option('file', 'keep the token in this file instead', { suggests: 'file' }),
    force: flag('replace a token file that is there'),
  },
  json: 'print the token without its secret',
  examples: ['aish login', 'aish login --url https://aish.home.example --out ~/.config/aish/token'],
  run: async ({ options, io, connect }) => {
    const { client, address } = connect();
    const path = options.out ?? ('file' in address.token ? address.token.file : undefined);
    if (path === undefined) {
      throw new AishError(
        'invalid_body',
        'The token of this server comes from a command; say where to keep one: --out',
      );
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Opened first: a token that cannot be kept would have to be revoked.
    const file = await open(path, options.force ? 'w' : 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === 'EEXIST' ? 'is there already; --force replaces it' : (error.code ?? 'error');
      throw new AishError('invalid_body', `${path}: ${why}`);
    });
    try {
      const { id, url, code, secret, expiresInS } = await beginSignIn(client.transport, io.signal);
      note(io, `Open this in a browser, and confirm there that the code is ${code}:\n\n  ${url}\n`);
      const until = Date.now() + expiresInS * 1_000;
      while (Date.now() < until) {
        await sleep(ASK_EVERY_MS, undefined, { signal: io.signal });
        const { token } = await fetchSignIn(client.transport, id, secret, io.signal);
        if (token === null) continue;
        await file.writeFile(`${token.token}\n`);
        if (options.json) return writeJson(io, { ...token, token: undefined });
        return writeLines(io, [
          line(`Signed in as ${token.name} (${token.scopes.join(', ')}); the token is in ${path}`),
        ]);
      }
      throw new AishError('sign_in_failed', 'Nobody has confirmed in time');
    } finally {
      await file.close();
    }
  },
});
