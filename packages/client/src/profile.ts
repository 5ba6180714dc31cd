import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AishError } from '@aish/contracts/problems';
import { z } from 'zod';
import { ApiError } from './api.error.js';
import { isAction, type KeyMap } from '@aish/views/key-actions';

const TOKEN_COMMAND_TIMEOUT_MS = 15_000;

const Server = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  tokenFile: z.string().min(1).optional(),
  /** A program with arguments that prints the token, for example a keychain or a password store. */
  tokenCommand: z.array(z.string()).min(1).optional(),
});
export type Server = z.infer<typeof Server>;

/** The person's settings file: servers by name, keys, mouse. It contains no token. */
const ProfileFile = z.strictObject({
  default: z.string().optional(),
  servers: z.record(z.string(), Server).default({}),
  keys: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  mouse: z.boolean().default(true),
});

export interface Profile {
  readonly server: Server | null;
  readonly keyMap: KeyMap;
  readonly hasMouse: boolean;
}

/** Returns the path of the settings file. AISH_PROFILES overrides the default. */
export function configPath(config: {
  readonly AISH_PROFILES?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
}): string {
  return config.AISH_PROFILES ?? join(config.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'aish', 'config.json');
}

/**
 * Reads the person's settings: those of `name`, or of the file's default. Without a file there are none.
 *
 * @throws AishError `invalid_config` that says what is wrong in which file.
 */
export function readProfile(path: string, name: string | undefined): Profile {
  const file = readFile(path);
  if (file === null) {
    if (name !== undefined)
      throw new AishError('invalid_config', `There is no profile ${name}, because there is no file ${path}`);
    return { server: null, keyMap: {}, hasMouse: true };
  }
  const parsed = ProfileFile.safeParse(file);
  if (!parsed.success) throw new AishError('invalid_config', `${path}: ${z.prettifyError(parsed.error)}`);
  const { servers, keys, mouse } = parsed.data;
  const unknown = Object.keys(keys).filter((key) => !isAction(key));
  if (unknown.length > 0) throw new AishError('invalid_config', `${path}: aish has no action ${unknown.join(', ')}`);
  const wanted = name ?? parsed.data.default;
  const server = wanted === undefined ? null : (servers[wanted] ?? null);
  if (wanted !== undefined && server === null) {
    const names = Object.keys(servers).join(', ') || 'none';
    throw new AishError('invalid_config', `${path} has no server ${wanted}. It has ${names}`);
  }
  return { server, keyMap: keys, hasMouse: mouse };
}

/**
 * Adds a server to the file of profiles, or changes it. The first one becomes the default.
 *
 * @returns whether it is the default.
 * @throws AishError `invalid_config` if the file cannot be parsed.
 */
export async function rememberServer(path: string, name: string, server: Server): Promise<boolean> {
  const parsed = ProfileFile.safeParse(readFile(path) ?? {});
  if (!parsed.success) throw new AishError('invalid_config', `${path}: ${z.prettifyError(parsed.error)}`);
  const { default: before = name, servers } = parsed.data;
  const text = JSON.stringify({ ...parsed.data, default: before, servers: { ...servers, [name]: server } }, null, 2);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${text}\n`);
  await rename(`${path}.new`, path);
  return before === name;
}

/**
 * Returns the output of a keychain command.
 *
 * @throws ApiError of kind `token`. It never repeats output or arguments.
 */
export async function tokenOfCommand([program = '', ...args]: readonly string[]): Promise<string> {
  try {
    const options = { timeout: TOKEN_COMMAND_TIMEOUT_MS, maxBuffer: 64 * 1024, encoding: 'utf8' } as const;
    return (await promisify(execFile)(program, args, options)).stdout.trim();
  } catch (error) {
    const { code } = error as { code?: unknown };
    const why = code === 'ENOENT' ? 'is not installed' : 'returned no token';
    throw new ApiError('token', 'no_token', `The token command ${program} ${why}`, { cause: error });
  }
}

function readFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new AishError('invalid_config', `Cannot read ${path} (${code ?? 'error'})`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AishError('invalid_config', `${path} is not valid JSON`);
  }
}
