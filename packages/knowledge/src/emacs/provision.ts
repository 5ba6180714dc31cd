import { lstat, mkdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { adapterText } from './adapter.js';
import { PUSH_TIMER, PUSH_UNIT, pushService } from './units.js';

/** A file or link that `provision` manages. */
export interface Provisioned {
  readonly path: string;
  readonly outcome: 'made' | 'changed' | 'unchanged';
}

export interface ProvisionOptions {
  /** The folder `~/.config` or its replacement. */
  readonly configHome: string;
  /** The command that starts aish: a program and its first arguments, with absolute paths. */
  readonly aish: readonly string[];
  /** Whether to set up Emacs, too. */
  readonly emacs: boolean;
}

export function adapterFile(dir: string): string {
  return join(dir, '.git', 'aish', 'aish-kb.el');
}

/** Returns the path of the file that an init file of Emacs loads. */
export function adapterLink(configHome: string): string {
  return join(configHome, 'aish', 'aish-kb.el');
}

/**
 * Sets up a person's machine for a clone. A second call changes nothing.
 *
 * @throws AishError `knowledge_invalid`
 */
export async function provision(
  dir: string,
  { configHome, aish, emacs }: ProvisionOptions,
): Promise<readonly Provisioned[]> {
  const units = join(configHome, 'systemd', 'user');
  const timer = join(units, `${PUSH_UNIT}.timer`);
  const done = [
    await put(join(units, `${PUSH_UNIT}.service`), pushService(dir, aish)),
    await put(timer, PUSH_TIMER),
    // This does the same as `systemctl --user enable`, but also works without a systemd session.
    await link(join(units, 'timers.target.wants', `${PUSH_UNIT}.timer`), timer),
  ];
  if (!emacs) return done;
  return [...done, await putAdapter(dir), await link(adapterLink(configHome), adapterFile(dir))];
}

export function putAdapter(dir: string): Promise<Provisioned> {
  return put(adapterFile(dir), adapterText(dir));
}

async function put(path: string, text: string): Promise<Provisioned> {
  const before = await readFile(path, 'utf8').catch(orNull);
  if (before === text) return { path, outcome: 'unchanged' };
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
  return { path, outcome: before === null ? 'made' : 'changed' };
}

async function link(path: string, to: string): Promise<Provisioned> {
  const there = await lstat(path).catch(orNull);
  if (there !== null && !there.isSymbolicLink()) {
    throw new AishError(
      'knowledge_invalid',
      `${path} is not a link that aish made. Move it to another folder, then try again`,
    );
  }
  if (there !== null && (await readlink(path)) === to) return { path, outcome: 'unchanged' };
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp-${process.pid}`;
  await symlink(to, temporary);
  await rename(temporary, path);
  return { path, outcome: there === null ? 'made' : 'changed' };
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
