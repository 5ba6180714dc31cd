import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SandboxStatus } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import {
  Caller,
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  type TestSettings,
} from '../testing/sandbox.fixture.js';
import { startSandbox } from './start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings();
  service = await startSandbox(ground.config, createLogger('error', 'sandbox'), { version: '0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

/** This command looks for the launcher's secret everywhere a command can look. */
const LOOK = `sleep 3 & sleep 0.1; t=$(cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -xE '[0-9a-f]{16,64}' | head -n 1)`;

describe('forged output', () => {
  it.each(['in a new container', 'in one that waited'])(
    "a command cannot forge the launcher's report of its exit, folder or variables: %s",
    async (where) => {
      if (where === 'in one that waited') await sandbox.ask('POST', `/v1/workspaces/${sandbox.workspaceId}/prepare`);
      const mark = (letter: string, rest = '') => `printf '\\036%s${letter}${rest}' "$t"`;
      const { outcome } = await sandbox.run(
        [
          LOOK,
          mark('z').concat(' >&2'),
          mark('s', '999999 9'),
          mark('.'),
          mark('h', '/tmp\\n\\0PATH=/evil\\0.\\0'),
          mark('e', '0 1\\0/tmp\\n\\0PATH=/evil\\0.\\0'),
          mark('z'),
          'exit 3',
        ].join('; '),
      );
      expect(outcome.exitCode).toBe(3);
      const next = await sandbox.run('printf "%s|%s" "$PWD" "$PATH"');
      expect(next.stdout).toMatch(/^\/workspace\|\/usr/);
      const { workspaces } = SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body);
      expect(workspaces.sizeBytes).toBeLessThan(999_999 * 1024);
    },
  );

  it("a command cannot find the launcher's secret in any process, memory or file descriptor", async () => {
    const request = sandbox.request(
      `sleep 3 & sleep 0.5; env; set; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ; for p in 1 $$; do cat /proc/$p/mem /proc/$p/fd/* /proc/$p/maps; done`,
    );
    const ending = sandbox.toEnd(request);
    const token = await until(async () => (await containersOf(request.runId))[0]?.Labels['dev.aish.token'], 'it runs');
    const { stdout, stderr } = await ending;
    expect(token).toMatch(/^[0-9a-f]{96}$/);
    for (const part of [token.slice(0, 32), token.slice(32, 64), token.slice(64)]) expect(stdout).not.toContain(part);
    expect(stderr.match(/Permission denied/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it('a command cannot hide output with the part of the secret that its own shell knows', async () => {
    const find = `t=$(trap -p EXIT | grep -oE '[0-9a-f]{32}' | head -n 1)`;
    const mark = (rest: string) => `printf '\\036%s${rest}' "$t"`;
    const forged = [mark('z'), mark('e0 1\\0'), mark('z'), mark('h/tmp\\n\\0PATH=/evil\\0')].join('; ');
    const end = `${mark('z')} >&2; echo still said >&2`;
    for (const close of ['true', mark('.')]) {
      const { stdout, stderr, outcome } = await sandbox.run(
        `${find}; expr length "$t"; ${forged}; echo hidden; ${close}; echo more; ${end}; exit 3`,
      );
      expect(stdout).toMatch(/^32\n/);
      expect([stdout, stderr]).toEqual([
        expect.stringMatching(/hidden\n[^]*more\n$/),
        expect.stringMatching(/still said\n$/),
      ]);
      expect(outcome.exitCode).toBe(3);
      expect((await sandbox.run('printf "%s|%s" "$PWD" "$PATH"')).stdout).toMatch(/^\/workspace\|\/usr/);
    }
  });

  it('variables that are too large to carry over do not appear in the output', async () => {
    const many = 'for n in {1..9}; do export "big$n=$(head -c 20000 /dev/zero | tr "\\0" x)"; done; echo done';
    expect((await sandbox.run(many)).stdout).toBe('done\n');
    expect((await sandbox.run('echo "${#big1}"')).stdout).toBe('0\n');
    await sandbox.run('export small=kept; cd /tmp');
    expect((await sandbox.run('echo "$small $PWD"')).stdout).toBe('kept /tmp\n');
    await sandbox.run('unset small; cd /workspace');
  });

  it('a program that the command started cannot change the carried state', async () => {
    const write = 'printf "/tmp\\n\\0PATH=/evil\\0.\\0"';
    await sandbox.run(
      `(sh -c '${write} > /tmp/.aish-session'; while :; do ${write} > /tmp/.aish-session; done) & sleep 0.2`,
    );
    expect((await sandbox.run('printf "%s|%s" "$PWD" "$PATH"')).stdout).toMatch(/^\/workspace\|\/usr/);
  });

  it('a command cannot kill the launcher or prevent its report', async () => {
    const { outcome, stdout } = await sandbox.run('kill -9 1 $PPID; kill -STOP 1; echo still here; exit 4');
    expect([stdout, outcome.exitCode]).toEqual(['still here\n', 4]);
  });
});

describe('an image of a space without the unreadable bash', () => {
  it('commands run in an image without the unreadable bash', async () => {
    const repo = `aish-spec-${ground.instance}`;
    const Image = ground.config.SANDBOX_IMAGE;
    const container = await docker.createContainer({ Image, User: '0:0', Cmd: ['rm', '/usr/local/lib/aish/bash'] });
    const place = await newTestSettings({ SANDBOX_IMAGE: `${repo}:latest` });
    try {
      await container.start();
      await container.wait();
      await container.commit({ repo, tag: 'latest', changes: 'USER 1000:1000' });
      const logger = createLogger('error', 'sandbox');
      const other = await startSandbox(place.config, logger, { version: '0', handleSignals: false });
      const caller = new Caller(other.url, place.config.SANDBOX_TOKEN);
      const { stdout, outcome } = await caller.run('cd /tmp; echo ran; exit 5');
      expect([stdout, outcome.exitCode, (await caller.run('pwd')).outcome.exitCode]).toEqual(['ran\n', 5, 0]);
      await other.app.close();
    } finally {
      await cleanUp(place);
      await container.remove({ force: true });
      await docker.getImage(`${repo}:latest`).remove({ force: true });
    }
  });
});
