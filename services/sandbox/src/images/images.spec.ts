import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger, type RunningService } from '@aish/http';
import { ImageBuild, type RunLimits } from '@aish/contracts/images';
import { Caller, cleanUp, docker, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(120_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;

const start = () => {
  const logger = createLogger('warn', 'sandbox', { write: () => undefined });
  return startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
};
beforeAll(async () => {
  ground = await newTestSettings();
  service = await start();
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await sandbox.ask('DELETE', '/v1/images/named/tools');
  await service.app.close();
  await cleanUp(ground);
});

const begin = (build: string, dockerfile: string) =>
  sandbox.ask('PUT', `/v1/images/builds/${build}`, { name: 'tools', recipe: { dockerfile } });
/** Builds an image and waits until the build has ended. */
async function built(dockerfile: string): Promise<ImageBuild & { readonly build: string }> {
  const build = randomUUID();
  expect((await begin(build, dockerfile)).status).toBe(202);
  for (;;) {
    const how = ImageBuild.parse((await sandbox.ask('GET', `/v1/images/builds/${build}`)).body);
    if (how.state !== 'building') return { ...how, build };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const within = (build: string | null, limits: RunLimits = {}) => ({ image: { build, limits } });

describe('images of spaces', () => {
  it('a command runs in the image build that it names, and a recipe cannot add setuid files', async () => {
    const one = await built(
      'ENV COLOUR=blue\nRUN echo "echo one" > /usr/local/bin/tool && chmod 6755 /usr/local/bin/tool',
    );
    const two = await built('RUN echo "echo two" > /usr/local/bin/tool && chmod 755 /usr/local/bin/tool');
    expect(one).toMatchObject({ state: 'built', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    const look = 'tool; id -u; find /usr/local/bin/tool -perm /6000; echo "$COLOUR"';
    expect((await sandbox.run(look, within(one.build))).stdout).toBe('one\n1000\nblue\n');
    // The variables of one image do not carry over to the next.
    expect((await sandbox.run(look, within(two.build))).stdout).toBe('two\n1000\n\n');
    expect((await sandbox.run(look)).stderr).toContain('tool: command not found');
    // The service still knows the image after a restart, and the next request builds nothing.
    await service.app.close();
    service = await start();
    sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
    expect((await begin(one.build, 'RUN false')).status).toBe(202);
    expect((await sandbox.run('tool', within(one.build))).stdout).toBe('one\n');
  });

  it('a run can have its own limits for memory and /tmp, but no GPU if the sandbox offers none', async () => {
    const { stdout } = await sandbox.run(
      // The second path is for cgroups v1.
      'cd /sys/fs/cgroup; cat memory.max 2> /dev/null || cat memory/memory.limit_in_bytes; df -m --output=size /tmp | tail -n 1',
      within(null, { memoryMb: 128, tmpMb: 7 }),
    );
    expect(stdout.split(/\s+/)).toEqual([String(128 * 2 ** 20), '7', '']);
    const refused = await sandbox.ask('POST', '/v1/runs', sandbox.request('true', within(null, { gpus: true })));
    expect(refused.body).toMatchObject({ code: 'invalid_config', detail: expect.stringContaining('SANDBOX_GPUS') });
  });

  it('a failed build reports the reason, and the error for a missing image says how to build the image again', async () => {
    expect(await built('RUN echo so far; cat /not-there')).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(/so far[\s\S]*not-there/),
    });
    expect(await begin(randomUUID(), 'FROM debian')).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    const gone = await sandbox.ask('POST', '/v1/runs', sandbox.request('true', within(randomUUID())));
    expect(gone.body).toMatchObject({ code: 'image_missing', detail: expect.stringContaining('aish image add') });
    const { build, digest } = await built('RUN true');
    await sandbox.ask('DELETE', '/v1/images/named/tools');
    await expect(docker.getImage(String(digest)).inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await sandbox.ask('GET', `/v1/images/builds/${build}`)).status).toBe(404);
  });
});
