import { once } from 'node:events';
import * as files from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { isOver } from '@aish/contracts/upgrade';
import { readUpgrade } from '@aish/contracts/upgrade-file';
import type { Io } from '@aish/client/io';
import { z } from 'zod';
import { ImageSettings, InspectedContainer, containerLike } from './container-copy.js';
import { checkoutInstallation } from './installation.checkout.js';
import { keptName } from './installation.compose.js';
import type { Installation } from './installation.js';
import { runProgram } from './run-program.js';
import { withSqlOf } from './sql-pipe.js';

const BUILD_TIMEOUT_MS = 60 * 60_000;
/** The maximum time for the migrations of a large database and the first start. */
const START_TIMEOUT_MS = 30 * 60_000;
const LOOK_EVERY_MS = 500;
/** This is short, because the engine only records the settings of a new container. */
const CREATE_TIMEOUT_MS = 60_000;
const DATA = '/var/lib/aish';
const LAUNCHER = ['node', '/app/deploy/launcher/dist/bundle/main.js', '--container'];

/**
 * Returns the aish that a container of the one image runs, or null. `root` is the checkout of its version. During the
 * upgrade there are two containers, of which one runs: that of the old version, and a copy of it with the new image.
 */
export async function containedHere(io: Io, root: string, name: string): Promise<Installation | null> {
  const docker = (...args: readonly string[]): Promise<string> =>
    runProgram('docker', args, { signal: io.signal, timeoutMs: START_TIMEOUT_MS });
  const next = `${name}-new`;
  const all = async (): Promise<readonly (InspectedContainer & { readonly name: string })[]> => {
    const found = await Promise.all(
      [name, next].map(async (each) => {
        const json = await docker('container', 'inspect', each).catch(ifMissing);
        const inspected = json === null ? [] : InspectedContainer.array().parse(JSON.parse(json));
        return inspected.map((one) => ({ ...one, name: each }));
      }),
    );
    return found.flat();
  };
  const [first] = await all();
  if (first === undefined) return null;
  const image = first.Config.Image;
  const kept = keptName(image);
  /** The name of the container that runs. */
  let running = first.name;

  const stopAll = async (): Promise<void> => {
    for (const each of await all()) await docker('stop', each.name);
  };
  /** Starts the container that has the image, or makes it. */
  const startOnly = async (): Promise<void> => {
    const id = await idOf(image, docker);
    const found = await all();
    for (const each of found) if (each.Image !== id) await docker('stop', each.name);
    const same = found.find(({ Image }) => Image === id);
    const [like] = found;
    if (same === undefined && like !== undefined) await create(next, like, image, docker);
    running = same?.name ?? next;
    await docker('start', running);
    await untilHealthy(running, docker, io.signal);
  };
  const keepOnly = async (): Promise<void> => {
    const id = await idOf(image, docker);
    const found = await all();
    for (const each of found) if (each.Image !== id) await docker('rm', each.name);
    if (found.some((each) => each.Image === id && each.name === next)) await docker('rename', next, name);
    running = name;
  };

  const installation = await checkoutInstallation(
    root,
    {
      name: `${name}-`,
      backups: `${DATA}/api`,
      keepImages: () => docker('tag', first.Image, kept),
      build: (folder) =>
        runProgram('docker', ['build', '--file', 'deploy/Dockerfile', '--target', 'aish', '--tag', image, '.'], {
          cwd: folder,
          signal: io.signal,
          timeoutMs: BUILD_TIMEOUT_MS,
        }),
      aish: (args) => docker('exec', running, 'aish', ...args),
      withDatabaseAlone: async (work) => {
        const database = `${name}-database`;
        await docker('rm', '--force', database);
        await stopAll();
        const run = ['run', '--rm', '--interactive', '--name', database, '--network', 'none'];
        const [like] = await all();
        const volumes = ['--volumes-from', like?.name ?? name];
        return withSqlOf('docker', [...run, ...volumes, kept, ...LAUNCHER, '--sql'], io.signal, work);
      },
      withDatabase: (work) =>
        withSqlOf('docker', ['exec', '--interactive', running, ...LAUNCHER, '--sql'], io.signal, work),
      startNew: startOnly,
      keepNew: keepOnly,
      startOld: async () => {
        await docker('tag', kept, image);
        await startOnly();
        await keepOnly();
      },
    },
    io,
  );
  const begun = await readUpgrade(installation.journalFile, files);
  if (begun === null || isOver(begun)) await refuseOther(root, name, docker);
  return installation;
}

type Docker = (...args: readonly string[]) => Promise<string>;

/** @throws AishError `invalid_body` if the checkout is of another version, or the database is elsewhere */
async function refuseOther(root: string, name: string, docker: Docker): Promise<void> {
  const version = (await docker('exec', name, 'aish', '--version')).trim();
  const { version: own } = Manifest.parse(JSON.parse(await files.readFile(join(root, 'package.json'), 'utf8')));
  if (version !== own) {
    throw new AishError(
      'invalid_body',
      `The container ${name} runs aish ${version}, but ${root} is a checkout of ${own}. Check out ${version} first`,
    );
  }
  await docker('exec', name, 'test', '-e', `${DATA}/postgres`).catch((cause: unknown) => {
    throw new AishError(
      'invalid_body',
      `The container ${name} uses another Postgres, which aish upgrade cannot copy. Upgrade it by hand`,
      {},
      { cause },
    );
  });
}

const Manifest = z.object({ version: z.string() });

function ifMissing(error: unknown): null {
  if (error instanceof AishError && /no such container|is not installed/i.test(error.message)) return null;
  throw error;
}

async function idOf(image: string, docker: Docker): Promise<string> {
  return (await docker('image', 'inspect', '--format', '{{.Id}}', image)).trim();
}

/** @throws AishError `internal` with the last line of its log if the container ends */
async function untilHealthy(name: string, docker: Docker, signal: AbortSignal): Promise<void> {
  const state = '{{.State.Status}},{{if .State.Health}}{{.State.Health.Status}}{{end}},{{.RestartCount}}';
  let before: string | undefined;
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline;) {
    const [status, health, restarts] = (await docker('inspect', '--format', state, name)).trim().split(',');
    if (status === 'running' && health === 'healthy') return;
    if (status !== 'running' || restarts !== (before ??= restarts)) {
      const log = await docker('logs', '--tail', '3', name);
      throw new AishError('internal', log.trim().split('\n').at(-1) ?? 'the container ended');
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new AishError('internal', 'it was not ready in time');
}

/** Creates a container like another one. The command line of Docker cannot do this. */
async function create(name: string, like: InspectedContainer, image: string, docker: Docker): Promise<void> {
  const config = await docker('image', 'inspect', '--format', '{{json .Config}}', like.Image);
  const host = (await docker('context', 'inspect', '--format', '{{.Endpoints.docker.Host}}')).trim();
  if (!host.startsWith('unix://')) {
    throw new AishError(
      'invalid_config',
      `Run aish upgrade on the machine of the container. Docker runs on another machine here (${host})`,
    );
  }
  const sent = request({
    socketPath: host.slice('unix://'.length),
    method: 'POST',
    path: `/containers/create?name=${encodeURIComponent(name)}`,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(CREATE_TIMEOUT_MS),
  });
  sent.end(JSON.stringify(containerLike(like, ImageSettings.parse(JSON.parse(config)), image)));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const said = await text(response);
  if (response.statusCode !== 201) throw new AishError('internal', `Docker cannot create ${name}: ${said.trim()}`);
}
