import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { Compose } from '../../support/compose.js';
import { eventually } from '../../support/eventually.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { plan } from '../../support/plan.js';
import { ROOT } from '../../support/service.process.js';
import { Terminal } from '../../support/terminal.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const run = promisify(execFile);
const NAME = `aish-test-${randomUUID().slice(0, 8)}`;
/** The container ends by itself after this time, so that a killed suite leaves nothing running. */
const LIFETIME_SECONDS = '600';

describe('the other commands of deploy/compose/README.md', () => {
  let model: ScriptedModel;
  let compose: Compose;
  let client: ApiClient;

  beforeAll(async () => {
    model = await startScriptedModel({ script: plan('CMD: touch mine', 'CMD: ls', 'GOAL: complete'), host: '0.0.0.0' });
    compose = new Compose(NAME, {
      SAFETY_SECOND_OPINION: 'off', // a scripted model has no second opinion
      WAIT_MIN_MS: '200',
    });
    await buildImages();
    await compose.documented('docker compose up -d --build --wait', {
      replaced: { '--build': '--no-build' },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    const token = await compose.documented('docker compose exec api cat /var/lib/aish/token');
    client = new ApiClient(await compose.apiUrl(), token.trim());
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => stopGpuMachine(),
        () => compose?.run(['down', '--volumes', '--timeout', '10']),
        () => removeWorkspaces(NAME),
        () => model?.close(),
      ),
    120_000,
  );

  it(
    verifies('docs.commands', "the terminal UI opens in the api's container"),
    async () => {
      const command = 'docker compose exec api aish';
      const terminal = await Terminal.open(`cd '${ROOT}' && ${command}`, { env: { ...compose.environment } });
      try {
        await terminal.shows(/\bonline · /);
        await terminal.shows('[aish:fast]> ');
        await terminal.press('C-q');
        expect(await terminal.shows(/ended with \d/)).toContain('ended with 0');
      } finally {
        await terminal.close();
      }
    },
    60_000,
  );

  it(
    verifies('docs.commands', 'the documented command follows the log of the workers until it is stopped'),
    async () => {
      const follow = spawn('sh', ['-c', 'exec docker compose logs -f norris-worker'], {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...compose.environment },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = once(follow, 'exit');
      let output = '';
      follow.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      try {
        await eventually('it shows lines of the log', async () => /norris-worker-1 +\| \{"level"/.test(output));
        expect([follow.exitCode, follow.signalCode]).toEqual([null, null]);
        follow.kill('SIGINT'); // this is Ctrl-C
        await ended;
        expect(output).not.toContain('api-1');
      } finally {
        follow.kill('SIGKILL');
      }
    },
    60_000,
  );

  it(
    verifies('docs.commands', "the documented command prints Grafana's password, which never changes"),
    async () => {
      const ask = () => compose.documented('docker compose run --rm secrets cat /secrets/grafana/password');
      const password = await ask();
      expect(password.trim()).toMatch(/^[\da-f]{64}$/);
      expect(await ask()).toBe(password);
    },
    60_000,
  );

  it(
    verifies('docs.commands', 'goals use a model on another machine, gpu.lan'),
    async () => {
      await startGpuMachine();
      const goal = await client.createGoal('look around');
      // By default, nothing listens at the address where compose looks for a model.
      await client.until(goal.id, 'waiting');
      await compose.documented('FAST_BASE_URL=http://gpu.lan:8080 docker compose up -d', { timeoutMs: 300_000 });
      client = new ApiClient(await compose.apiUrl(), client.token);
      await eventually('the api answers', async () => (await client.request('GET', '/v1/health')).ok);
      const { actions } = await client.until(goal.id, 'done');
      expect(actions.map(({ outcome }) => outcome?.output)).toEqual(['', 'mine\n']);
    },
    180_000,
  );

  it(
    verifies('docs.commands', 'the documented command removes only the workspaces of this installation'),
    async () => {
      const command = 'docker volume rm $(docker volume ls -q -f label=dev.aish.instance=aish)';
      const volumes = async (instance: string): Promise<readonly string[]> => {
        const { stdout } = await run('docker', ['volume', 'ls', '-q', '-f', `label=dev.aish.instance=${instance}`]);
        return stdout.split('\n').filter(Boolean);
      };
      const other = `${NAME}-other`;
      await run('docker', ['volume', 'create', '--label', `dev.aish.instance=${other}`, other]);
      try {
        await stopGpuMachine();
        await compose.run(['down', '--timeout', '10']);
        expect((await volumes(NAME)).length).toBeGreaterThan(0);
        await compose.documented(command, { replaced: { 'instance=aish': `instance=${NAME}` } });
        expect(await volumes(NAME)).toEqual([]);
        expect(await volumes(other)).toEqual([other]);
        // The volumes that `down` keeps still exist.
        const { stdout } = await run('docker', ['volume', 'ls', '-q', '-f', `name=${NAME}_`]);
        expect(stdout).toContain(`${NAME}_postgres-data`);
      } finally {
        await run('docker', ['volume', 'rm', other]);
      }
    },
    120_000,
  );

  /** Starts a machine of this name in the network of the services. It forwards to the scripted model. */
  async function startGpuMachine(): Promise<void> {
    const forward = `require('net').createServer((socket) => {
      const model = require('net').connect(${new URL(model.url).port}, 'host.docker.internal');
      socket.pipe(model).on('error', () => socket.destroy()).pipe(socket).on('error', () => model.destroy());
    }).listen(8080)`;
    const network = `--network ${NAME}_model --network-alias gpu.lan --add-host host.docker.internal:host-gateway`;
    const bounds = `--detach --rm --init --name ${NAME}-gpu`;
    const command = `docker run ${bounds} ${network} aish-secrets timeout ${LIFETIME_SECONDS} node -e "$0"`;
    await run('sh', ['-c', command, forward]);
  }

  async function stopGpuMachine(): Promise<void> {
    await run('docker', ['rm', '--force', `${NAME}-gpu`]);
  }
});
