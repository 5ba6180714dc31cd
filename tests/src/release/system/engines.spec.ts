import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpSandbox } from '@aish/sandbox-client';
import { closeAll } from '../../support/close-all.js';
import { BEHAVIOUR_ENV, FOLDER, behavesLikeAnEngine, type EngineUnderTest } from '../../support/engine.behaviour.js';
import { eventually } from '../../support/eventually.js';
import { BUILD_TIMEOUT_MS } from '../../support/images.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';
import { freePort, ServiceProcess } from '../../support/service.process.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const run = promisify(execFile);
const OWN_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
const MAIN = 'services/sandbox/dist/bundle/main.js';

/** This path is empty for the engine, like a path of another machine. For the service, it has the service's state. */
const FAR = 'far';
/** Mounts the state and the settings of ssh where only the service sees them, then becomes the service. */
const ON_ANOTHER_MACHINE =
  'mount --bind "$1/hidden" "$1/$2" && mount --bind "$1/ssh" "$3/.ssh" && shift 3 && exec "$@"';

class Place {
  private readonly instance = `spec-${randomUUID().slice(0, 8)}`;
  private service: ServiceProcess | null = null;

  private constructor(readonly dir: string) {}

  static async make(): Promise<Place> {
    const place = new Place(await mkdtemp(join(tmpdir(), 'aish-engine-')));
    const folder = join(place.dir, FOLDER);
    for (const name of [FOLDER, 'hidden', FAR, 'ssh']) await mkdir(join(place.dir, name));
    await chmod(place.dir, 0o755);
    await writeFile(join(folder, 'note'), 'hello\n');
    return place;
  }

  /** Starts a sandbox service with its own state. */
  async start(
    env: Readonly<Record<string, string>>,
    lacks?: NonNullable<EngineUnderTest['lacks']>,
    within: readonly string[] = [],
  ): Promise<EngineUnderTest> {
    const [port, token] = [await freePort(), `token-${randomUUID()}`];
    const hostPath = join(this.dir, FOLDER);
    const settings = {
      ...BEHAVIOUR_ENV,
      PORT: String(port),
      SANDBOX_TOKEN: token,
      SANDBOX_INSTANCE: this.instance,
      SANDBOX_STATE_DIR: join(this.dir, FAR, 'state'),
      SANDBOX_HOST_FOLDERS: JSON.stringify([
        { name: FOLDER, hostPath, containerPath: `/mnt/${FOLDER}`, mode: 'read-only' },
      ]),
      ...env,
    };
    const url = `http://127.0.0.1:${port}`;
    const service = new ServiceProcess('sandbox', MAIN, settings, `${url}/v1/health`, { within });
    this.service = service;
    await service.start();
    const restart = async () => {
      await service.kill('SIGKILL');
      await service.start();
    };
    return { url, token, testHost: OWN_ADDRESS, ...(lacks === undefined ? {} : { lacks }), restart };
  }

  async stop(): Promise<void> {
    await this.service?.kill('SIGTERM');
    await removeWorkspaces(this.instance);
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** `SPEC_SOCKET=/run/podman/podman.sock npx jest` tests another engine of this machine instead of Docker. */
const SOCKET = process.env['SPEC_SOCKET'];

describe('an engine by its socket', () => {
  let place: Place;
  let engine: EngineUnderTest;

  beforeAll(async () => {
    place = await Place.make();
    engine = await (SOCKET === undefined ? place.start({}, []) : place.start({ DOCKER_SOCKET: SOCKET }));
  }, 120_000);

  afterAll(() => place?.stop(), 60_000);

  behavesLikeAnEngine(SOCKET ?? 'Docker by its socket', () => engine);
});

describe('Docker over ssh', () => {
  let place: Place;
  let host: SshHost;
  let engine: EngineUnderTest;

  beforeAll(async () => {
    await buildHostImage();
    place = await Place.make();
    host = await SshHost.start('far', { hasEngine: true });
    const ssh = join(place.dir, 'ssh');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(ssh, 'id_ed25519')]);
    await host.authorize(await readFile(join(ssh, 'id_ed25519.pub'), 'utf8'));
    const hostKey = await host.exec('cat /etc/ssh/ssh_host_ed25519_key.pub');
    await writeFile(join(ssh, 'known_hosts'), `${host.address} ${hostKey}`);
    const home = userInfo().homedir;
    await mkdir(join(home, '.ssh'), { recursive: true, mode: 0o700 });
    const within = ['unshare', '--mount', 'sh', '-c', ON_ANOTHER_MACHINE, 'sh', place.dir, FAR, home];
    engine = await place.start({ DOCKER_SOCKET: `ssh://aish@${host.address}` }, ['network', 'folders'], within);
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => place?.stop(),
        () => host?.stop(),
      ),
    60_000,
  );

  it('commands run again after the connection of ssh is lost', async () => {
    await host.exec('pkill -u aish');
    const ids = { workspaceId: randomUUID(), command: 'exit 4' };
    const exitCode = await eventually('a command runs', async () => {
      const signal = AbortSignal.timeout(30_000);
      const frames = new HttpSandbox(engine.url, engine.token).run({ runId: randomUUID(), ...ids }, signal);
      for await (const frame of frames) if (frame.type === 'exit') return frame.outcome.exitCode;
      return null;
    });
    expect(exitCode).toBe(4);
  }, 120_000);

  behavesLikeAnEngine('Docker over ssh', () => engine);
});
