import type { Sql } from '@aish/contracts/upgrade';
import type { Io } from '@aish/client/io';
import { checkoutInstallation } from './installation.checkout.js';
import type { Installation } from './installation.js';
import { runProgram } from './run-program.js';

const BUILD_TIMEOUT_MS = 60 * 60_000;
/** The maximum time for the migrations of a large database and the first start. */
const START_TIMEOUT_MS = 30 * 60_000;
const COMMAND_TIMEOUT_MS = 5 * 60_000;
const WORKER = 'norris-worker';
/** The services that use the database. */
const SERVICES = ['api', WORKER, 'sandbox'];
/** Added to the tag of each image of the old version. */
const OLD = 'before-upgrade';

/** Returns the aish that docker compose runs from a folder, or null. */
export async function composedHere(io: Io, root: string): Promise<Installation | null> {
  const compose = (args: readonly string[], timeoutMs = COMMAND_TIMEOUT_MS, cwd = root): Promise<string> =>
    runProgram('docker', ['compose', ...args], { cwd, signal: io.signal, timeoutMs });
  const containers = await compose(['ps', '--all', '--quiet', 'api']).catch(() => '');
  if (containers.trim() === '') return null;
  const sql: Sql = async (database, statement) => {
    const psql = ['psql', '-U', 'aish', '-d', database, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', statement];
    const text = await compose(['exec', '-T', 'postgres', ...psql], START_TIMEOUT_MS);
    return text.split('\n').filter((line) => line !== '');
  };
  const workers = await countWorkers(await compose(['ps', '--all', '--quiet', WORKER]), io.signal);
  const start = (): Promise<string> =>
    compose(['up', '--detach', '--no-build', '--wait', '--scale', `${WORKER}=${workers}`], START_TIMEOUT_MS);

  return checkoutInstallation(
    root,
    {
      name: '',
      backups: '/var/backups/aish',
      keepImages: async () => keepImages(await compose(['ps', '--all', '--quiet']), io.signal),
      build: (folder) => compose(['build'], BUILD_TIMEOUT_MS, folder),
      aish: (args) => compose(['exec', '-T', 'api', 'aish', ...args], START_TIMEOUT_MS),
      withDatabaseAlone: async (work) => {
        await compose(['stop', ...SERVICES]);
        await compose(['up', '--detach', '--no-build', '--no-recreate', '--wait', 'postgres']);
        return work(sql);
      },
      withDatabase: (work) => work(sql),
      startNew: start,
      // Compose has replaced the containers.
      keepNew: () => Promise.resolve(),
      startOld: async () => {
        await useKeptImages(await compose(['config', '--images']), io.signal);
        await start();
      },
    },
    io,
  );
}

/** Counts the workers by their numbers, because a kill can leave an old and a new container of the same worker. */
async function countWorkers(containers: string, signal: AbortSignal): Promise<number> {
  const ids = containers.split('\n').filter(Boolean);
  if (ids.length === 0) return 0;
  const format = '{{index .Config.Labels "com.docker.compose.container-number"}}';
  const options = { signal, timeoutMs: COMMAND_TIMEOUT_MS };
  const printed = await runProgram('docker', ['inspect', '--format', format, ...ids], options);
  return new Set(printed.trim().split('\n')).size;
}

/** Returns the second name of an image of the old version. */
export const keptName = (image: string): string => `${image}${/:[^/]*$/.test(image) ? '-' : ':'}${OLD}`;

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
