import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { isOver, type Release, type UpgradeJournal } from '@aish/contracts/upgrade';
import { UPGRADE_FILE, readUpgrade, saveUpgrade } from '@aish/contracts/upgrade-file';
import type { ApiClient } from '@aish/client/api.client';
import { note, type Io } from '@aish/client/io';
import { launcherFolder, runningLauncher } from '@aish/client/server-address';
import { GitFolder, type FetchedRelease } from './git-release.js';
import type { Installation } from './installation.js';
import { runProgram } from './run-program.js';
import { saveBackup } from './save-backup.js';
import { noteSkipped } from './skipped-files.js';
import { verifyBackup } from './verify-backup.js';

const INSTALL_TIMEOUT_MS = 30 * 60_000;
const FINISH_TIMEOUT_MS = 60 * 60_000;
const LOOK_EVERY_MS = 200;

/** Returns the aish that `npm start` runs here, or null. The launcher carries out its upgrade. */
export async function startedHere(io: Io, client: () => ApiClient): Promise<Installation | null> {
  const running = runningLauncher(io.config);
  const root = running?.root;
  if (running === null || root === undefined) return null;
  const data = launcherFolder(io.config);
  const folder = join(data, 'releases');
  const releases = new GitFolder(join(folder, 'git'), io.signal);
  const journalFile = join(data, UPGRADE_FILE);
  await files.mkdir(releases.path, { recursive: true, mode: 0o700 });
  await releases.git(['init', '--quiet', '--bare']);
  return {
    root,
    releases,
    journalFile,
    prepare: (found) => install(found, { folder, releases, running: root }, io),
    backUp: async (to) => {
      const file = join(data, `before-${to.version}.tar.gz`);
      await saveBackup(client(), file, 'all', io.signal);
      noteSkipped(io, (await verifyBackup(file)).skipped);
      return file;
    },
    finish: async (journal) => {
      await saveUpgrade(journalFile, journal, files);
      process.kill(running.pid, 'SIGUSR2');
      note(
        io,
        'aish stops now and starts again. If you stop it before it is ready, the next npm start continues the upgrade.',
      );
      return untilOver(journalFile, io.signal);
    },
  };
}

interface Place {
  /** The folder of all releases. */
  readonly folder: string;
  readonly releases: GitFolder;
  /** The folder of the version that runs now. */
  readonly running: string;
}

/** Builds a release in a new folder, and removes the folders of releases that do not run. */
async function install(found: FetchedRelease, { folder, releases, running }: Place, io: Io): Promise<Release> {
  const kept = await files.realpath(running);
  for (const name of await files.readdir(folder)) {
    const each = await files.realpath(join(folder, name));
    if (name !== 'git' && each !== kept) await files.rm(each, { recursive: true, force: true, maxRetries: 3 });
  }
  // A killed upgrade may leave an npm that still writes to its own folder.
  const at = await files.mkdtemp(join(folder, `${found.version}-`));
  note(io, `Installing aish ${found.version} in ${at}. This takes some minutes`);
  await releases.checkOutTo(at, found.commit);
  // The next upgrade looks there again.
  await releases.git(['config', 'remote.origin.url', found.repository]);
  const options = { cwd: at, signal: io.signal, timeoutMs: INSTALL_TIMEOUT_MS };
  await runProgram('npm', ['ci', '--no-audit', '--no-fund'], options);
  await runProgram('npm', ['run', 'build'], options);
  return { at, version: found.version };
}

async function untilOver(file: string, signal: AbortSignal): Promise<UpgradeJournal> {
  for (const deadline = Date.now() + FINISH_TIMEOUT_MS; Date.now() < deadline;) {
    const journal = await readUpgrade(file, files);
    if (journal !== null && isOver(journal)) return journal;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new AishError('internal', 'The upgrade is not finished. Run npm start to continue it');
}
