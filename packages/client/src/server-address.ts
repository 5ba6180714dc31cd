import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { serverUrl, type ClientConfig } from './config.js';
import { configPath, readProfile } from './profile.js';

/** A server, and the location of the token that belongs only to it. */
export interface ServerAddress {
  readonly url: string;
  readonly token: { readonly file: string } | { readonly command: readonly string[] };
}

export interface ServerOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly profile?: string;
}

const LaunchedServer = z.looseObject({
  url: serverUrl,
  pid: z.int().positive(),
  started: z.string().nullish(),
  /** The folder of its version. */
  root: z.string().optional(),
});
type LaunchedServer = z.infer<typeof LaunchedServer>;

/**
 * Returns the server, and the location of its token. Options come first, then the environment, the file of profiles,
 * and the launcher's data folder. A token belongs to one address. If no token file is named, the launcher's token is
 * used for the launcher's server, and the token that `aish login` stored is used for any other address.
 *
 * @throws AishError `invalid_config`, also if no server is known. There is no default server.
 */
export function serverAddress(options: ServerOptions, config: ClientConfig): ServerAddress {
  const data = launcherFolder(config);
  const named = checkedUrl(options.url) ?? (options.profile === undefined ? config.AISH_URL : undefined);
  const { server } = readProfile(configPath(config), options.profile ?? config.AISH_PROFILE);
  const used = named === undefined ? server : null;
  const launched = launchedServer(join(data, 'server.json'), named ?? used?.url)?.url ?? null;
  const url = named ?? used?.url ?? launched;
  if (url === null) throw noServer(data);
  const isOther = options.url !== undefined && config.AISH_URL !== undefined && !sameOrigin(url, config.AISH_URL);
  const file = options.tokenFile ?? (used !== null ? used.tokenFile : isOther ? undefined : config.AISH_TOKEN_FILE);
  const command = options.tokenFile === undefined ? used?.tokenCommand : undefined;
  const kept = sameOrigin(url, launched) ? join(data, 'token') : keptToken(data, url);
  return { url: url.replace(/\/+$/, ''), token: command === undefined ? { file: file ?? kept } : { command } };
}

/** Returns the data folder of `npm start`. */
export function launcherFolder(config: ClientConfig): string {
  return config.AISH_DATA ?? join(config.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'aish');
}

/** Returns the process, the address and the checkout of `npm start`, or null if it does not run here. */
export function runningLauncher(config: ClientConfig): LaunchedServer | null {
  return launchedServer(join(launcherFolder(config), 'server.json'), undefined);
}

const keptToken = (data: string, url: string): string => join(data, 'tokens', encodeURIComponent(new URL(url).origin));

const sameOrigin = (url: string, other: string | null): boolean =>
  other !== null && new URL(url).origin === new URL(other).origin;

function noServer(data: string): AishError {
  return new AishError(
    'invalid_config',
    `aish is not running on this machine (${data}). Start one with npm start, or sign in to yours: aish login http://HOST:7717`,
  );
}

function checkedUrl(url: string | undefined): string | undefined {
  if (url === undefined || serverUrl.safeParse(url).success) return url;
  throw new AishError('invalid_config', `--url must be an http:// or https:// address, not ${url}`);
}

/**
 * Returns the aish server that the launcher runs. After a crash the file remains, and anyone may listen at its port, so
 * the result is null if that server no longer runs. A broken file matters only if no address was `given`.
 */
function launchedServer(path: string, given: string | undefined): LaunchedServer | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || given !== undefined) return null;
    throw new AishError('invalid_config', `Cannot read ${path} (${code ?? 'error'})`);
  }
  const parsed = LaunchedServer.safeParse(jsonOf(text));
  if (parsed.success) return isRunning(parsed.data.pid, parsed.data.started) ? parsed.data : null;
  if (given !== undefined) return null;
  throw new AishError('invalid_config', `${path} must contain {"url": "http://…", "pid": 1}. Delete it, or use --url`);
}

/**
 * Whether the process with this number is still the one that wrote the file.
 *
 * @param started the start time of that process; unknown if another system wrote it
 */
function isRunning(pid: number, started: string | null | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return typeof started !== 'string' || process.platform !== 'linux' || startOf(pid) === started;
}

/** Returns when a Linux process started, in kernel time, in the form that the launcher writes. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything. The fields after it are numbers, except the first, which is the
    // state.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // The schema refuses undefined, with the path in its message.
  }
}
