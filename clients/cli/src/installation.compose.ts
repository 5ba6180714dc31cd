import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { carryOut, removeCopy, type Release, type Sql } from '@aish/contracts/upgrade';
import { UPGRADE_FILE, saveUpgrade } from '@aish/contracts/upgrade-file';
import { note, type Io } from '@aish/client/io';
import { z } from 'zod';
import { GitFolder, type FetchedRelease } from './git-release.js';
import type { Installation } from './installation.js';
import { runProgram } from './run-program.js';

const BUILD_TIMEOUT_MS = 60 * 60_000;
/** The maximum time for the migrations of a large database and the first start. */
const START_TIMEOUT_MS = 30 * 60_000;
const COMMAND_TIMEOUT_MS = 5 * 60_000;
/** The services that use the database. */
const SERVICES = ['api', 'norris-worker', 'sandbox'];
/** Added to the tag of each image of the old version, because the new one gets the same names. */
const OLD = 'before-upgrade';

/** Returns the aish that docker compose runs from a folder, or null. */
export async function composedHere(io: Io, root: string): Promise<Installation | null> {
  const compose = (args: readonly string[], timeoutMs = COMMAND_TIMEOUT_MS, cwd = root): Promise<string> =>
    runProgram('docker', ['compose', ...args], { cwd, signal: io.signal, timeoutMs });
  const containers = await compose(['ps', '--all', '--quiet', 'api']).catch(() => '');
  if (containers.trim() === '') return null;
  const checkout = new GitFolder(root, io.signal);
  const journalFile = join((await checkout.git(['rev-parse', '--absolute-git-dir'])).trim(), UPGRADE_FILE);
  const sql: Sql = async (database, statement) => {
    const psql = ['psql', '-U', 'aish', '-d', database, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', statement];
    const text = await compose(['exec', '-T', 'postgres', ...psql], START_TIMEOUT_MS);
    return text.split('\n').filter((line) => line !== '');
  };
  const startAt = async (commit: string): Promise<void> => {
    await checkout.git(['checkout', '--quiet', commit]);
    await compose(['up', '--detach', '--no-build', '--wait'], START_TIMEOUT_MS);
  };

  return {
    root,
    releases: checkout,
    journalFile,
    prepare: async (found) => {
      if ((await checkout.git(['status', '--porcelain', '--untracked-files=no'])).trim() !== '') {
        throw new AishError('invalid_body', `${root} has changes. Commit them, or undo them with git checkout .`);
      }
      await keepImages(await compose(['ps', '--all', '--quiet']), io.signal);
      await build(found, checkout, (folder) => compose(['build'], BUILD_TIMEOUT_MS, folder), io);
      return { at: found.commit, version: found.version };
    },
    backUp: async (to) => {
      const file = `/var/backups/aish/before-${to.version}.tar.gz`;
      await compose(['exec', '-T', 'api', 'aish', 'backup', file, '--workspaces', 'all'], START_TIMEOUT_MS);
      return `${file} (in the container of the api)`;
    },
    finish: async (journal) => {
      await saveUpgrade(journalFile, journal, files);
      const over = await carryOut(journal, {
        old: await currentRelease(checkout),
        withDatabaseAlone: async (work) => {
          await compose(['stop', ...SERVICES]);
          await compose(['up', '--detach', '--no-build', '--no-recreate', '--wait', 'postgres']);
          return work(sql);
        },
        tryNew: async (to) => {
          try {
            await startAt(to.at);
            const health = await compose(['exec', '-T', 'api', 'aish', 'doctor', '--health', '--json']);
            const { version } = Health.parse(JSON.parse(health));
            return version === to.version ? null : `it answers as version ${version}`;
          } catch (error) {
            io.signal.throwIfAborted();
            // The last line names the container; the others list those that work.
            return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
          }
        },
        choose: async (release) => {
          if (release.at === journal.to.at) return; // it already runs
          await useKeptImages(await compose(['config', '--images']), io.signal);
          await startAt(release.at);
        },
        save: (next) => saveUpgrade(journalFile, next, files),
        say: (line) => note(io, line),
      });
      // Before the copy nothing was changed, but the services have been stopped.
      if (over.keptAt === null) await compose(['up', '--detach', '--no-build', '--wait'], START_TIMEOUT_MS);
      if (over.step === 'done') await removeCopy(sql);
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
async function build(
  found: FetchedRelease,
  checkout: GitFolder,
  inFolder: (folder: string) => Promise<unknown>,
  io: Io,
): Promise<void> {
  note(io, `Building aish ${found.version}. This takes some minutes`);
  const parent = await files.mkdtemp(join(tmpdir(), 'aish-release-'));
  try {
    const folder = join(parent, 'aish');
    await checkout.checkOutTo(folder, found.commit);
    await files.copyFile(join(checkout.path, '.env'), join(folder, '.env')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await inFolder(folder);
  } finally {
    await files.rm(parent, { recursive: true, force: true });
  }
}

const keptName = (image: string): string => `${image}${image.includes(':') ? '-' : ':'}${OLD}`;

/** Gives a second name to the images of containers. */
async function keepImages(containers: string, signal: AbortSignal): Promise<void> {
  const options = { signal, timeoutMs: COMMAND_TIMEOUT_MS };
  const ids = containers.split('\n').filter(Boolean);
  const printed = await runProgram('docker', ['inspect', '--format', '{{.Image}} {{.Config.Image}}', ...ids], options);
  for (const line of printed.trim().split('\n')) {
    const [id = '', name = ''] = line.split(' ');
    if (name.startsWith('aish-')) await runProgram('docker', ['tag', id, keptName(name)], options);
  }
}

/** Gives the images of the old version their first names again. */
async function useKeptImages(images: string, signal: AbortSignal): Promise<void> {
  const options = { signal, timeoutMs: COMMAND_TIMEOUT_MS };
  for (const name of new Set(images.trim().split('\n'))) {
    if (name.startsWith('aish-')) await runProgram('docker', ['tag', keptName(name), name], options);
  }
}
