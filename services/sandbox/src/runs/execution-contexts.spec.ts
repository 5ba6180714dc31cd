import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ExecutionContext } from '@aish/contracts/execution-context';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, containersOf, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

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

function workspace() {
  const workspaceId = randomUUID();
  const describeIt = async (query = '') =>
    ExecutionContext.parse((await sandbox.ask('GET', `/v1/workspaces/${workspaceId}/execution-context${query}`)).body);
  const run = (command: string, over: Parameters<Caller['run']>[1] = {}) =>
    sandbox.run(command, { workspaceId, ...over });
  return { workspaceId, describe: describeIt, run };
}

describe('the execution context of a command', () => {
  it('the execution context contains the folder and the carried variables that change the meaning of commands', async () => {
    const place = workspace();
    const fresh = await place.describe();
    expect(fresh).toMatchObject({ folder: '/workspace', variables: [] });
    await place.run('mkdir a; cd a; export COLOR=red GIT_SSH_COMMAND="ssh -v" PATH="/workspace/bin:$PATH"');
    const changed = await place.describe();
    expect(changed).toEqual({
      folder: '/workspace/a',
      variables: [
        { name: 'GIT_SSH_COMMAND', value: 'ssh -v' },
        { name: 'PATH', value: expect.stringMatching(/^\/workspace\/bin:\/usr/) },
      ],
      digest: expect.not.stringMatching(fresh.digest),
      grantDigest: expect.not.stringMatching(fresh.digest),
      variablesDigest: expect.not.stringMatching(fresh.variablesDigest ?? ''),
      undoable: true,
    });
    await place.run('export COLOR=blue');
    expect(await place.describe()).toEqual(changed);
    expect(await place.describe('?carryOver=false')).toEqual(fresh);
  });

  it('a run whose execution context is not the expected one does not start and is not recorded', async () => {
    const place = workspace();
    const { digest } = await place.describe();
    const approved = await place.run('echo ran', { expectedContextDigest: digest });
    expect(approved.stdout).toBe('ran\n');
    await place.run('export PATH="/workspace/bin:$PATH"');
    const request = sandbox.request('touch started', { workspaceId: place.workspaceId, expectedContextDigest: digest });
    expect(await sandbox.ask('POST', '/v1/runs', request)).toMatchObject({
      status: 409,
      body: { code: 'execution_context_changed', digest: (await place.describe()).digest },
    });
    expect(await containersOf(request.runId)).toEqual([]);
    expect((await sandbox.ask('GET', `/v1/runs/${request.runId}`)).status).toBe(404);
    expect((await place.run('ls')).stdout).toBe('');
    // A run with the same ID begins after a new approval.
    const again = { ...request, expectedContextDigest: (await place.describe()).digest };
    expect((await sandbox.toEnd(again)).outcome.exitCode).toBe(0);
  });

  it('a command does not start if a variable that names the things it works on has changed since its approval', async () => {
    const place = workspace();
    await place.run('mkdir a b; touch a/x b/x; export DIR=/workspace/a');
    const shown = await place.describe('?uses=DIR');
    expect(shown.uses).toEqual([{ name: 'DIR', value: '/workspace/a' }]);
    await place.run('export DIR=/workspace/b');
    const command = 'rm -rf "$DIR"/*';
    const request = sandbox.request(command, { workspaceId: place.workspaceId, expectedContextDigest: shown.digest });
    expect(await sandbox.ask('POST', '/v1/runs', request)).toMatchObject({ status: 409 });
    const { digest } = await place.describe('?uses=DIR');
    await place.run(command, { expectedContextDigest: digest, pinned: true });
    expect((await place.run('ls a b')).stdout).toBe('a:\nx\n\nb:\n');
  });

  it('a command whose folder is gone does not run in any other folder', async () => {
    const place = workspace();
    await place.run('touch precious; mkdir gone; cd gone');
    const { digest } = await place.describe();
    await place.run('rmdir /workspace/gone', { carryOver: false });
    const { stderr, outcome } = await place.run('rm -rf ./*', { expectedContextDigest: digest });
    expect([stderr, outcome.exitCode]).toEqual(['aish: the folder /workspace/gone is gone; nothing was run\n', 1]);
    expect((await place.run('ls /workspace', { carryOver: false })).stdout).toBe('precious\n');
  });
});

describe('programs in the workspace that a carried PATH finds', () => {
  it('an approval or a grant does not cover another program of the same name', async () => {
    const place = workspace();
    const program = (says: string) => `printf '#!/bin/sh\\necho ${says}\\n' > /workspace/bin/deploy`;
    await place.run(`mkdir bin; ${program('one')}; chmod +x bin/deploy; export PATH="/workspace/bin:$PATH"`);
    const shown = await place.describe();
    await place.run('touch elsewhere', { expectedContextDigest: shown.digest });
    expect(await place.describe()).toEqual(shown);
    expect((await place.run('deploy', { expectedContextDigest: shown.digest })).stdout).toBe('one\n');
    await place.run(program('two'));
    await expect(place.run('deploy', { expectedContextDigest: shown.digest })).rejects.toThrow(
      /execution_context_changed/,
    );
    const { digest, grantDigest, variablesDigest } = await place.describe();
    for (const key of ['digest', 'grantDigest', 'variablesDigest'] as const) {
      expect({ digest, grantDigest, variablesDigest }[key]).not.toBe(shown[key]);
    }
  });
});

describe('pinned commands', () => {
  it("a pinned command runs the image's own programs, and the next command gets the carried variables back", async () => {
    const place = workspace();
    await place.run(
      'mkdir bin; printf "#!/bin/sh\\necho fake\\n" > bin/ls; chmod +x bin/ls; export PATH="/workspace/bin:$PATH" A=1',
    );
    expect((await place.run('ls')).stdout).toBe('fake\n');
    expect((await place.run('ls; echo "$A"; export B=2', { pinned: true })).stdout).toBe('bin\n1\n');
    expect((await place.run('ls; echo "$A$B"')).stdout).toBe('fake\n12\n');
    await place.run('export PATH="/opt:$PATH"', { pinned: true });
    expect((await place.run('echo "$PATH"')).stdout).toMatch(/^\/opt:\/usr/);
  });
});

describe('the files that decide what a command does', () => {
  const files = ['a', 'l', 'd', 'none', '/usr/local/bin', '/', '/proc/self/status'].map((path) => ({
    path,
    use: path === 'a' ? ('runs' as const) : ('names' as const),
  }));
  const query = `?files=${encodeURIComponent(JSON.stringify(files))}`;

  it('the digest of a command covers its files, and the command does not start if they have changed', async () => {
    const place = workspace();
    await place.run('echo 1 > a; ln -s a l; mkdir d; echo 2 > d/x');
    const asked = await place.describe(query);
    expect(asked.files?.map(({ path }) => path)).toEqual(
      ['a', 'l', 'd'].map((name) => `/workspace/${name}`).concat('/usr/local/bin', '/'),
    );
    expect([asked.digest, asked.grantDigest]).not.toContain((await place.describe()).digest);
    const begin = (digest: string) => place.run('echo ran', { expectedContextDigest: digest, boundFiles: files });
    expect((await begin(asked.digest)).stdout).toBe('ran\n');
    await place.run('echo 3 > d/x');
    await expect(begin(asked.digest)).rejects.toThrow(/execution_context_changed/);
    // A grant survives changes of other named files. It ends when a program or the target of a link changes.
    const now = await place.describe(query);
    expect([now.digest === asked.digest, now.grantDigest === asked.grantDigest]).toEqual([false, true]);
    await place.run('ln -sf d/x l');
    expect((await place.describe(query)).grantDigest).not.toBe(asked.grantDigest);
  });
});
