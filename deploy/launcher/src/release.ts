import { readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { compareVersions, type Release } from '@aish/contracts/upgrade';

/** Returns the main module of a release's launcher. */
export function launcherOf(release: Release): string {
  return path.join(release.at, 'deploy/launcher/dist/main.js');
}

/**
 * Returns the release that `aish upgrade` set up for a data folder, or null if `own` has to run: because there is none,
 * it is `own`, or `own` is newer, for example after `git pull`.
 * @throws AishError `invalid_config` if the link leads to no release
 */
export async function releaseInsteadOf(own: Release, link: string): Promise<Release | null> {
  const at = await realpath(link).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (at === null || at === (await realpath(own.at))) return null;
  const text = await readFile(path.join(at, 'package.json'), 'utf8').catch((cause: unknown) => {
    throw new AishError(
      'invalid_config',
      `${link} points to ${at}, which is not a release of aish. Remove the link to run the version in ${own.at}`,
      {},
      { cause },
    );
  });
  const { version } = JSON.parse(text) as { version: string };
  return compareVersions(version, own.version) < 0 ? null : { at, version };
}

/** Leads the link to a release. A rename replaces it, so that a kill leaves either the old or the new link. */
export async function linkRelease(release: Release, link: string): Promise<void> {
  const part = `${link}.part`;
  await rm(part, { force: true });
  await symlink(release.at, part);
  await rename(part, link);
}
