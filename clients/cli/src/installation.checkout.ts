import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { runUpgrade, removeCopy, type Release, type Sql } from '@aish/contracts/upgrade';
import { UPGRADE_FILE, saveUpgrade } from '@aish/contracts/upgrade-file';
import { note, type Io } from '@aish/client/io';
import { z } from 'zod';
import { GitFolder, type FetchedRelease } from './git-release.js';
import type { Installation } from './installation.js';

/** The containers that Docker runs from the images of a checkout. Each function can run again after a kill. */
export interface Containers {
  /** The prefix of the journal's name. */
  readonly name: string;
  /** The folder for the backup, in the container of the api. */
  readonly backups: string;
  /** Gives the images of the old version a second name, because the new one gets the same names. */
  keepImages(): Promise<unknown>;
  /** Builds the images from the files in a folder. */
  build(folder: string): Promise<unknown>;
  /** Runs `aish` in the container of the api. */
  aish(args: readonly string[]): Promise<string>;
  /** Runs `work` while no service of aish runs. */
  withDatabaseAlone<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `work` while aish runs. */
  withDatabase<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Starts the new version, and returns when it is healthy. */
  startNew(): Promise<unknown>;
  /** Removes what is left of the old version. */
  keepNew(): Promise<unknown>;
  /** Starts the old version, and removes what is left of the new one. */
  startOld(): Promise<unknown>;
}

/** Returns the aish whose containers Docker runs from the images of a checkout. */
export async function checkoutInstallation(root: string, containers: Containers, io: Io): Promise<Installation> {
  const checkout = new GitFolder(root, io.signal);
  const gitFolder = await checkout.git(['rev-parse', '--absolute-git-dir']).catch((cause: unknown) => {
    const advice = `${root} is not a git checkout. Run aish upgrade in the one from which you built the images`;
    throw new AishError('invalid_config', advice, {}, { cause });
  });
  const journalFile = join(gitFolder.trim(), `${containers.name}${UPGRADE_FILE}`);
  const checkOut = (commit: string): Promise<string> => checkout.git(['checkout', '--quiet', commit]);

  return {
    root,
    releases: checkout,
    journalFile,
    prepare: async (found) => {
      if ((await checkout.git(['status', '--porcelain', '--untracked-files=no'])).trim() !== '') {
        throw new AishError(
          'invalid_body',
          `${root} has uncommitted changes. Commit them, or discard them with: git checkout .`,
        );
      }
      await containers.keepImages();
      await build(found, checkout, containers, io);
      return { at: found.commit, version: found.version };
    },
    backUp: async (to) => {
      const file = `${containers.backups}/before-${to.version}.tar.gz`;
      await containers.aish(['backup', file, '--workspaces', 'all']);
      return `${file} (in the container of the api)`;
    },
    finish: async (journal) => {
      await saveUpgrade(journalFile, journal, files);
      const over = await runUpgrade(journal, {
        old: await currentRelease(checkout),
        withDatabaseAlone: (work) => containers.withDatabaseAlone(work),
        tryNew: async (to) => {
          try {
            await checkOut(to.at);
            await containers.startNew();
            const health = await containers.aish(['doctor', '--health', '--json']);
            const { version } = Health.parse(JSON.parse(health));
            return version === to.version ? null : `it answers as version ${version}`;
          } catch (error) {
            io.signal.throwIfAborted();
            // The last line names the container; the others list those that work.
            return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
          }
        },
        choose: async (release) => {
          if (release.at === journal.to.at) return void (await containers.keepNew());
          await checkOut(release.at);
          await containers.startOld();
        },
        save: (next) => saveUpgrade(journalFile, next, files),
        say: (line) => note(io, line),
      });
      // Before the copy nothing was changed, but the services have been stopped.
      if (over.keptAt === null) await containers.startOld();
      if (over.step === 'done') await containers.withDatabase(removeCopy);
      return over;
    },
  };
}

const Health = z.object({ version: z.string() });

/** Returns the branch or commit of the checkout, and its version. */
async function currentRelease(checkout: GitFolder): Promise<Release> {
  const branch = (await checkout.git(['branch', '--show-current'])).trim();
  const at = branch === '' ? (await checkout.git(['rev-parse', 'HEAD'])).trim() : branch;
  const { version } = Health.parse(JSON.parse(await checkout.file('HEAD', 'package.json')));
  return { at, version };
}

/** Builds the images of a release from a temporary folder, so that the checkout stays as it is. */
async function build(found: FetchedRelease, checkout: GitFolder, containers: Containers, io: Io): Promise<void> {
  note(io, `Building aish ${found.version}. This takes some minutes`);
  const parent = await files.mkdtemp(join(tmpdir(), 'aish-release-'));
  try {
    const folder = join(parent, 'aish');
    await checkout.checkOutTo(folder, found.commit);
    await files.copyFile(join(checkout.path, '.env'), join(folder, '.env')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await containers.build(folder);
  } finally {
    await files.rm(parent, { recursive: true, force: true });
  }
}
