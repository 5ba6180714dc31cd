import { deviceLoginApi, signInApi } from '@aish/contracts/endpoints/sign-in';
import { DEVICE_GRANT } from '@aish/contracts/device-login';
import { hostname } from 'node:os';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { TokenName } from '@aish/contracts/tokens';
import { ApiClient } from '@aish/client/api.client';
import { ApiError } from '@aish/client/api.error';
import type { Transport } from '@aish/client/transport';
import { configPath, rememberServer } from '@aish/client/profile';
import { serverAddress, type ServerAddress } from '@aish/client/server-address';
import { line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { tokenOf } from '@aish/client/token';
import { behaviour, flag, maybe, option } from './command.js';
import type { Connected } from './context.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';

const ASK_EVERY_MS = 2_000;

/** The result of a sign-in: the secret and its scopes. */
interface Granted {
  readonly token: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

export const login = behaviour({
  args: { url: maybe('the server, remembered as a profile') },
  options: {
    as: option('name', 'name of the profile (default: host name of the address)'),
    code: flag('sign in with a code, even if there is an identity provider'),
    out: option('file', 'keep the token in this file instead', { suggests: 'file' }),
    force: flag('replace an existing token file'),
  },
  json: 'print the token without its secret',
  examples: ['aish login https://aish.home.example', 'aish login http://cabin:7717 --as cabin', 'aish login --code'],
  run: async ({ args, options, io, connect }) => {
    const { client, address } = connectTo(args.url, io, connect);
    const path = options.out ?? ('file' in address.token ? address.token.file : undefined);
    if (path === undefined) {
      throw new AishError(
        'invalid_body',
        'The token of this server comes from a command (tokenCommand). To write the new token to a file, use --out FILE',
      );
    }
    const file = await openNew(path, options.force === true);
    let granted: Granted;
    try {
      granted = await signIn(client, io, options.code === true);
      await file.writeFile(`${granted.token}\n`);
    } catch (error) {
      // An empty file would block the next attempt.
      if (options.force !== true) await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    const { token: _secret, ...shown } = granted;
    if (options.json) writeJson(io, shown);
    else writeLines(io, [line(`Signed in as ${shown.name} (${shown.scopes.join(', ')}); the token is in ${path}`)]);
    if (args.url !== undefined) await remember(address, options.as, options.out, io);
  },
});

/** Connects to the server that is named here, or else to the one that options, environment and profile select. */
function connectTo(url: string | undefined, io: Io, connect: () => Connected): Connected {
  if (url === undefined) return connect();
  const { AISH_PROFILE: _profile, AISH_TOKEN_FILE: _file, ...config } = io.config;
  const address = serverAddress({ url }, config);
  return { address, client: new ApiClient({ baseUrl: address.url, readToken: () => tokenOf(address) }) };
}

/** Opens the file for the token before signing in, because a token that cannot be stored would have to be revoked. */
async function openNew(path: string, force: boolean): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, force ? 'w' : 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'already exists. Replace it with --force' : (error.code ?? 'error');
    throw new AishError('invalid_body', `${path}: ${why}`);
  });
}

async function signIn(client: Transport, io: Io, byCode: boolean): Promise<Granted> {
  if (byCode) return byDeviceCode(client, io);
  const begun = await client.call(signInApi.begin, {}, io.signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'sign_in_off') return null;
    throw error;
  });
  if (begun === null) return byDeviceCode(client, io);
  const { id, url, code, secret, expiresInS } = begun;
  note(io, `Open this page in a browser and confirm that the code is ${code}:\n\n  ${url}\n`);
  const until = Date.now() + expiresInS * 1_000;
  while (Date.now() < until) {
    await sleep(ASK_EVERY_MS, undefined, { signal: io.signal });
    const { token } = await client.call(signInApi.fetch, { params: { id }, body: { secret } }, io.signal);
    if (token !== null) return token;
  }
  throw new AishError('sign_in_failed', 'The sign-in expired before it was confirmed');
}

/** Polls until there is an answer, and more slowly when the server asks for that (RFC 8628, 3.5). */
async function byDeviceCode(client: Transport, io: Io): Promise<Granted> {
  const name = TokenName.safeParse(hostname().slice(0, 48)).data ?? 'device';
  const {
    device_code: deviceCode,
    user_code: code,
    expires_in: expiresInS,
    ...begun
  } = await client.call(deviceLoginApi.begin, { body: { name } }, io.signal);
  note(io, `On the server, or where you are signed in as an admin, run\n\n  aish token approve ${oneLine(code)}\n`);
  let { interval } = begun;
  const until = Date.now() + expiresInS * 1_000;
  while (Date.now() < until) {
    await sleep(interval * 1_000, undefined, { signal: io.signal });
    try {
      const {
        access_token: token,
        name: given,
        scope,
      } = await client.call(
        deviceLoginApi.token,
        { body: { grant_type: DEVICE_GRANT, device_code: deviceCode } },
        io.signal,
      );
      return { token, name: given, scopes: scope.split(' ') };
    } catch (error) {
      if (!(error instanceof ApiError) || !['authorization_pending', 'slow_down'].includes(error.code)) throw error;
      if (error.code === 'slow_down') interval += 5;
    }
  }
  throw new AishError('expired_token', 'The approval request expired');
}

/** Adds the server to the profiles file, so that `aish` finds it. */
async function remember(
  { url }: ServerAddress,
  as: string | undefined,
  tokenFile: string | undefined,
  io: Io,
): Promise<void> {
  const name = as ?? new URL(url).hostname;
  const server = { url, ...(tokenFile === undefined ? {} : { tokenFile: resolve(tokenFile) }) };
  const isDefault = await rememberServer(configPath(io.config), name, server);
  note(io, isDefault ? `aish now uses ${url}` : `aish --profile ${name} uses ${url}`);
}
