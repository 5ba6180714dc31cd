import * as files from 'node:fs/promises';
import { runUpgrade, isOver, removeCopy, type Release, type Sql, type UpgradeJournal } from '@aish/contracts/upgrade';
import { AishError } from '@aish/contracts/problems';
import { readUpgrade, saveUpgrade } from '@aish/contracts/upgrade-file';
import { runningPostmaster } from '@aish/database/embedded/data-folder';
import { firstColumn } from '@aish/database/first-column';
import { ensureSecret, makeInside, makeRoot, placePostgres, type DataFolder } from './data-folder.js';
import { startServer } from './database.js';
import { endLeftovers } from './leftovers.js';
import { takeLock } from '@aish/client/lock';
import { busyBlock } from './messages.js';
import { linkRelease } from './release.js';
import type { LauncherEnvironment } from './supervisor.js';
import { tryRelease, type Trial } from './trial.js';

/** How an upgrade ended: which version runs now, or has to be started. */
export type UpgradeEnd =
  | { readonly kind: 'new-runs'; readonly ended: Promise<number> }
  | { readonly kind: 'start'; readonly release: Release };

/**
 * Carries out the upgrade that `aish upgrade` has prepared, or that a killed launcher has begun. Returns null if there
 * is none.
 * @param old the version of this launcher @param args its arguments
 * @throws AishError `locked` if another launcher uses the data folder
 */
export async function carryOutUpgrade(
  folder: DataFolder,
  old: Release,
  args: readonly string[],
  environment: LauncherEnvironment,
): Promise<UpgradeEnd | null> {
  const journal = await readUpgrade(folder.upgradeFile, files);
  if (journal === null || isOver(journal)) return null;
  return alone(folder.upgradeSocket, folder, async () => {
    let trial: Trial | null = null;
    const over = await runUpgrade(journal, {
      old,
      withDatabaseAlone: (work) => withDatabaseAlone(folder, environment, work),
      tryNew: async (to) => {
        trial = await tryRelease(to, folder, args, environment.signals);
        return trial.why;
      },
      choose: (release) => linkRelease(release, folder.releaseLink),
      save: (next) => saveUpgrade(folder.upgradeFile, next, files),
      say: environment.print,
    });
    environment.print(outcomeLine(over));
    // TypeScript does not see that tryNew assigns it.
    const last = trial as Trial | null;
    if (over.step === 'undone' || last === null) return { kind: 'start', release: over.from ?? old };
    await withDatabase(folder, environment, removeCopy).catch((error: Error) =>
      environment.print(`upgrade: the copy of the database remains until the next upgrade: ${error.message}`),
    );
    return { kind: 'new-runs', ended: last.ended };
  });
}

function outcomeLine({ step, from, to, why }: UpgradeJournal): string {
  if (step === 'done') return `upgrade: aish ${to.version} works`;
  return `upgrade: ${from?.version ?? 'the old version'} runs again, because ${to.version} failed: ${why}`;
}

/** Holds a lock during `work`. @throws AishError `locked` if another launcher has it */
async function alone<T>(socket: string, folder: DataFolder, work: () => Promise<T>): Promise<T> {
  const attempt = await takeLock(socket, { pid: process.pid, startedAt: new Date() });
  if (attempt.kind === 'busy') throw new AishError('locked', busyBlock(folder.root, attempt.holder));
  try {
    return await work();
  } finally {
    await attempt.lock.release();
  }
}

function withDatabaseAlone<T>(
  folder: DataFolder,
  environment: LauncherEnvironment,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return alone(folder.lockSocket, folder, async () => {
    await makeRoot(folder, environment.isRoot);
    await makeInside(folder);
    await endLeftovers(folder.processesFile);
    const server = await startServer({
      dataDir: await placePostgres(folder, environment.isRoot),
      password: await ensureSecret(folder, 'database-password'),
      log: () => undefined,
      signal: environment.signals.stop,
    });
    try {
      return await work((database, statement) => firstColumn(server.url(database), statement));
    } finally {
      await server.stop();
    }
  });
}

/** Runs `work` with the database that a launcher has started, or else alone. */
export async function withDatabase<T>(
  folder: DataFolder,
  environment: LauncherEnvironment,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const postmaster = await runningPostmaster(await placePostgres(folder, environment.isRoot));
  if (postmaster === null) return withDatabaseAlone(folder, environment, work);
  const password = encodeURIComponent(await ensureSecret(folder, 'database-password'));
  return work((database, statement) =>
    firstColumn(`postgresql://postgres:${password}@127.0.0.1:${postmaster.port}/${database}`, statement),
  );
}
