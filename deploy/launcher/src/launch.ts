import { takeLock } from '@aish/client/lock';
import { dataFolder, dataFolderPath, makeInside, makeRoot } from './data-folder.js';
import { openLog } from './log-file.js';
import { busyBlock } from './messages.js';
import type { LaunchOptions } from './options.js';
import { ownSettings } from './settings.js';
import { Supervisor, type LauncherEnvironment } from './supervisor.js';

/**
 * Runs aish on a data folder until it is stopped.
 * @returns the exit code: 0 after a requested stop, 1 if aish could not start or broke
 */
export async function launch(options: LaunchOptions, inherited: LauncherEnvironment): Promise<number> {
  const startedAt = new Date();
  const { env: given, home, cwd } = inherited;
  const folder = dataFolder(dataFolderPath(options.data, given, home, cwd), options.container);
  const environment = { ...inherited, env: ownSettings(given, folder.settingsFile) };
  await makeRoot(folder, environment.isRoot);
  const attempt = await takeLock(folder.lockSocket, { pid: process.pid, startedAt });
  if (attempt.kind === 'busy') {
    environment.print(busyBlock(folder.root, attempt.holder));
    return 1;
  }
  try {
    await makeInside(folder);
    const log = openLog(`${folder.logsDir}/launcher.log`);
    const supervisor = new Supervisor(options, environment, folder, attempt.lock, startedAt, (line) =>
      log.write(`${new Date().toISOString()} ${line}\n`),
    );
    try {
      return await supervisor.run();
    } finally {
      log.close();
    }
  } finally {
    await attempt.lock.release();
  }
}
