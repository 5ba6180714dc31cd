import { homedir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { VERSION } from '@aish/contracts/health';
import { keepTimeoutsAlive } from '@aish/contracts/lasting-timeouts';
import { AishError } from '@aish/contracts/problems';
import { dataFolder, dataFolderPath } from './data-folder.js';
import { launch } from './launch.js';
import { parseOptions } from './options.js';
import { launcherOf, releaseInsteadOf } from './release.js';
import { VERSION_FOLDER } from './root.js';
import { answerSql } from './sql-pipe.js';
import { watchStopSignals } from './stop-signals.js';
import type { LauncherEnvironment } from './supervisor.js';
import { carryOutUpgrade, withDatabase } from './upgrade.js';

const options = parseOptions(process.argv);
const args = process.argv.slice(2).filter((each) => each !== '--trial');
const self = { at: VERSION_FOLDER, version: VERSION };
const folder = dataFolder(dataFolderPath(options.data, process.env, homedir(), process.cwd()), options.container);
// An image is one version.
const isFixed = options.trial || options.container;

// The channel closes when the launcher that started this one dies. Then this one has to die as well, so that both are
// gone after one kill -9, and the next npm start finds the data folder free.
if (options.trial) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}

/** Runs aish until it is stopped. Returns the exit code, or the main module of another version that has to run. */
async function run(): Promise<number | string> {
  for (let isAlone = isFixed; ; isAlone = options.container) {
    const signals = watchStopSignals();
    const environment: LauncherEnvironment = {
      env: process.env,
      home: homedir(),
      cwd: process.cwd(),
      isRoot: process.getuid?.() === 0,
      isTerminal: process.stdin.isTTY && process.stdout.isTTY,
      signals,
      print: (text) => void process.stdout.write(`${text}\n`),
    };
    try {
      if (options.sql) {
        await answerSql((work) => withDatabase(folder, environment, work));
        return 0;
      }
      const end = isAlone ? null : await carryOutUpgrade(folder, self, args, environment);
      if (end?.kind === 'new-runs') return await end.ended;
      if (end?.kind === 'start' && end.release.at !== VERSION_FOLDER) return launcherOf(end.release);
      const code = await launch(options, environment);
      if (!signals.upgrade.aborted) return code;
    } catch (error) {
      if (signals.stop.aborted) return 0;
      console.error(error instanceof AishError ? error.message : error);
      return 1;
    }
  }
}

async function start(): Promise<number | string> {
  const other = isFixed ? null : await releaseInsteadOf(self, folder.releaseLink);
  if (other === null) {
    keepTimeoutsAlive();
    // A closed terminal accepts no output, but that must not prevent an orderly stop.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    return run();
  }
  console.log(`aish ${other.version} runs from ${folder.releaseLink}, where aish upgrade put it`);
  return launcherOf(other);
}

const end = await start().catch((error: unknown) => {
  console.error(error instanceof AishError ? error.message : error);
  return 1;
});
if (typeof end === 'string') {
  await import(pathToFileURL(end).href);
} else {
  process.exitCode = end;
  // An open handle of a library must not keep a stopped launcher alive.
  setTimeout(() => process.exit(end), 500).unref();
}
