import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import { ChangeList } from '@aish/contracts/effects';
import type { Hold } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import {
  cleanUp,
  containersOf,
  docker,
  newTestSettings,
  until,
  wake,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';

jest.setTimeout(150_000);

describe('held changes', () => {
  let ground: TestSettings;
  let service: Service;
  let workspaceId: string;
  let origin: string;

  beforeAll(async () => {
    ground = await newTestSettings({ SANDBOX_LAYERS: 'on', HOLD_OWN_MAX_FILES: '20' });
    service = await startService(ground);
  });

  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  });

  async function begin(): Promise<void> {
    workspaceId = randomUUID();
    origin = randomUUID();
    await put('old', 'precious\n');
  }

  async function put(path: string, body: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`,
      'content-type': 'application/octet-stream',
    };
    const url = `${service.sandbox.url}/v1/workspaces/${workspaceId}/file?path=${path}`;
    return (await fetch(url, { method: 'PUT', headers, body })).status;
  }

  async function run(command: string, mode: Hold['mode'] = 'must', runId = randomUUID()): Promise<RunOutcome> {
    return (await service.sandbox.run(command, { runId, workspaceId, hold: { origin, mode } })).outcome;
  }

  /**
   * Rewrites the record as earlier versions did, which used a file instead of a link. A person may still have a
   * decision about such a record.
   */
  async function noteAsBefore(): Promise<void> {
    const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.keeper'] };
    const [keeper] = await docker.listContainers({ filters });
    const inFile = `cd /workspace/${workspaceId} && readlink held >file && rm held && mv file held && test -f held`;
    await promisify(execFile)('docker', ['exec', '-u', '0', keeper?.Id ?? '', 'sh', '-c', inFile]);
  }

  function settle(runId: string, verdict: 'keep' | 'drop') {
    return service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, { verdict });
  }

  it('a goal stops when its undo space is used up, until a person gives up its oldest undos', async () => {
    const small = await newTestSettings({ SANDBOX_LAYERS: 'on', UNDO_COMMANDS: '3' });
    const its = await startService(small);
    try {
      const [place, goal, first] = [randomUUID(), randomUUID(), randomUUID()];
      const does = (command: string, mode: Hold['mode'], runId = randomUUID()) =>
        its.sandbox.run(command, { runId, workspaceId: place, hold: { origin: goal, mode, named: ['old'] } });
      const snapshots = async () =>
        JSON.stringify((await its.sandbox.ask('GET', `/v1/workspaces/${place}/snapshots`)).body);
      await its.sandbox.run('echo precious > old', { workspaceId: place });
      await does('echo replaced > old', 'note', first);
      const fills = async () => {
        for (let n = 0; n < 8; n += 1) await does(`touch made-${n}`, 'must');
      };
      await expect(fills()).rejects.toThrow('is used up');
      expect(await snapshots()).toContain(first);
      // A person lets the goal continue, and so gives up the undo of its oldest commands.
      await does('touch approved', 'note');
      expect((await does('touch after', 'must')).outcome.exitCode).toBe(0);
      expect(await snapshots()).not.toContain(first);
    } finally {
      await stopService(its, 'SIGTERM');
      await cleanUp(small);
    }
  });

  it('a command gets its own layer, even if its container was prepared right after the last command', async () => {
    await begin();
    for (const n of [1, 2, 3]) {
      await run(`echo ${n} > one`, 'note');
      await service.sandbox.ask('POST', `/v1/workspaces/${workspaceId}/prepare`);
    }
    const asked = new Date().toISOString();
    const runId = randomUUID();
    const next = run('echo 2 > two; sleep 0.5', 'note', runId);
    const id = await until(async () => (await containersOf(runId))[0]?.Id ?? false, 'it runs');
    expect((await docker.getContainer(id).inspect()).Created < asked).toBe(true);
    expect((await next).effects).toMatchObject({ created: { paths: ['two'] } });
  });

  it("new files, appended text, small edits and changes to the goal's own files are not held", async () => {
    await begin();
    await put('text', '1\n2\n3\n4\n');
    for (const command of [
      'echo hi > new; mkdir d; echo 1 > d/1',
      'echo more >> old; touch old',
      'sed -i s/1/one/ text',
      'echo other > new; chmod 600 new; mv new newer; rm -r d',
      'sed -i s/other/third/ newer; rm newer; mkdir e; chmod 700 e; rmdir e',
    ]) {
      expect({ command, held: (await run(command)).held }).toEqual({ command, held: undefined });
    }
    expect((await run('cat old text; ls')).output).toBe('precious\nmore\none\n2\n3\n4\nold\ntext\n');
  });

  it.each([
    ['mv old older', 'deleted', 'deleted'],
    ['chmod 600 old', 'permissions', 'permissions'],
    [': > old', 'emptied', 'emptied'],
    ['echo other > old', 'replaced', 'replaced'],
    ['ln -sf /etc/passwd old', 'linked', 'linked'],
    ['echo rm >> tool', 'appended', 'start'],
    ['echo x > .bashrc', 'created', 'start'],
    ['mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', 'created', 'start'],
  ])('the changes of `%s` are held', async (command, how, why) => {
    await begin();
    await run('echo 1 > tool; chmod 755 tool', 'note');
    origin = randomUUID();
    const runId = randomUUID();
    const { held } = await run(command, 'must', runId);
    expect(held?.items?.map((item) => [item.how, item.why])).toEqual([[how, why]]);
    await settle(runId, 'drop');
    expect((await run('cat old')).output).toBe('precious\n');
  });

  it('small edits of a file add up, because each is compared with the text from before the goal', async () => {
    await begin();
    await put('text', '1\n2\n3\n4\n');
    expect((await run('echo 5 >> text')).held).toBeUndefined();
    expect((await run('sed -i s/1/one/ text')).held).toBeUndefined();
    expect((await run('sed -i s/2/two/ text')).held).toBeUndefined();
    const runId = randomUUID();
    expect((await run('sed -i s/3/three/ text', 'must', runId)).held).toMatchObject({ overwritten: { files: 1 } });
    expect((await settle(runId, 'keep')).status).toBe(204);
    // After a person has seen the text, later edits are compared with that text.
    expect((await run('sed -i s/4/four/ text')).held).toBeUndefined();
  });

  it('the effects of a run include folders that it created or deleted, or whose permissions it changed', async () => {
    await begin();
    await run('mkdir empty full; echo 1 > full/1', 'note');
    origin = randomUUID();
    const runId = randomUUID();
    const { held, effects } = await run('rmdir empty; chmod 700 full; mkdir new', 'must', runId);
    expect(effects).toMatchObject({
      created: { paths: ['new/'] },
      changed: { paths: ['full/'] },
      deleted: { paths: ['empty/'] },
    });
    expect(held?.items).toEqual([
      { path: 'empty/', how: 'deleted', why: 'deleted', bytes: 0 },
      { path: 'full/', how: 'permissions', why: 'permissions', bytes: 0 },
    ]);
    const { body } = await service.sandbox.ask('GET', `/v1/workspaces/${workspaceId}/changes/${runId}`);
    const { items } = ChangeList.parse(body);
    expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'deleted empty/',
      'changed full/',
      'created new/',
    ]);
    await settle(runId, 'drop');
  });

  it("a file is no longer the goal's own once the file is deleted or a person writes to it", async () => {
    await begin();
    await run('echo mine > mine; touch -d @0 mine');
    await run('rm mine');
    const runId = randomUUID();
    // This is another file with the size and time of one that the goal created.
    expect((await run('cp old mine; touch -d @0 mine; rm old', 'must', runId)).held).toMatchObject({
      deleted: { files: 1 },
    });
    await settle(runId, 'drop');
    await run('echo again > mine');
    await run('ls');
    await put('mine', 'yours by now\n');
    expect((await run(': > mine')).held).toMatchObject({ overwritten: { files: 1 } });
  });

  it("files that an undo restores do not become the goal's own", async () => {
    await begin();
    const [first, second] = [randomUUID(), randomUUID()];
    await run('rm old', 'may', first);
    await settle(first, 'keep');
    expect((await run('echo mine > old', 'must', second)).held).toBeUndefined();
    const restore = `/v1/workspaces/${workspaceId}/snapshots/${first}/restore`;
    expect((await service.sandbox.ask('POST', restore)).status).toBe(200);
    expect((await run('cat old')).output).toBe('precious\n');
    expect((await run('rm old')).held).toMatchObject({ deleted: { files: 1 } });
  });

  it('deletions of older files are held, and the decision names the files', async () => {
    await begin();
    await run('seq 30 | xargs touch; echo mine > mine');
    await put('mine', 'yours by now\n');
    const runId = randomUUID();
    const { held, effects } = await run('rm old; echo x > mine; touch a b', 'may', runId);
    expect(held).toEqual({
      verdict: 'waiting',
      deleted: { files: 1, bytes: 9 },
      overwritten: { files: 1, bytes: 13 },
      own: null,
      items: [
        { path: 'old', how: 'deleted', why: 'deleted', bytes: 9 },
        { path: 'mine', how: 'replaced', why: 'replaced', bytes: 13 },
      ],
      diff: '--- mine\n+++ mine\n@@ -1 +1 @@\n-yours by now\n+x',
      refused: [],
      approved: false,
    });
    expect(effects).toMatchObject({
      deleted: { files: 1, paths: ['old'] },
      changed: { files: 1, paths: ['mine'] },
      created: { files: 2 },
    });
    await expect(run('ls')).rejects.toThrow(/workspace_held/);
    await expect(service.sandbox.run('ls', { workspaceId })).rejects.toThrow(/workspace_held/);
    expect(await put('more', 'x')).toBe(409);
    expect((await settle(runId, 'drop')).status).toBe(204);
    expect((await settle(runId, 'drop')).status).toBe(204);
    expect((await run('cat old mine; ls a b 2>&1')).output).toMatch(/^precious\nyours by now\nls: /);
  });

  it('the deletions of a run are still listed and can be undone after its layer was mounted again', async () => {
    await begin();
    await put('older', 'precious too\n');
    const runId = randomUUID();
    expect((await run('rm old; mv older other', 'may', runId)).held).toMatchObject({ deleted: { files: 2 } });
    await until(async () => (await containersOf(runId)).length === 0, 'nothing has it mounted');
    const at = `/v1/workspaces/${workspaceId}`;
    // All whiteouts of a mount share one inode, and the next mount changes the time of that inode.
    expect((await service.sandbox.ask('GET', `${at}/files?path=`)).status).toBe(200);
    const { items } = ChangeList.parse((await service.sandbox.ask('GET', `${at}/changes/${runId}`)).body);
    expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['deleted old', 'deleted older', 'created other']);
    await settle(runId, 'keep');
    expect(await service.sandbox.ask('POST', `${at}/snapshots/${runId}/restore?only=true`)).toMatchObject({
      status: 200,
    });
    expect((await run('cat old older')).output).toBe('precious\nprecious too\n');
  });

  it('dropping changes also restores unreadable folders, and the folder in which the next command starts', async () => {
    await begin();
    await run('mkdir in; echo 1 > in/file', 'note');
    origin = randomUUID();
    const runId = randomUUID();
    const { held } = await run('rm in/file; chmod 000 in; mkdir elsewhere; cd elsewhere', 'may', runId);
    expect(held).toMatchObject({ deleted: { files: 1 } });
    await settle(runId, 'drop');
    expect((await run('pwd; cat in/file')).output).toBe('/workspace\n1\n');
  });

  it("changes that a person approves are kept, but the changed file does not become the goal's own", async () => {
    await begin();
    const runId = randomUUID();
    expect((await run('echo changed > old; cd /tmp', 'may', runId)).held).toMatchObject({ overwritten: { files: 1 } });
    expect((await settle(runId, 'keep')).status).toBe(204);
    const next = randomUUID();
    const { held, output } = await run('pwd; cat /workspace/old; rm /workspace/old', 'must', next);
    expect({ held, output }).toMatchObject({ held: { deleted: { files: 1 } }, output: '/tmp\nchanged\n' });
    await settle(next, 'drop');
  });

  it("a command that deletes many of the goal's own files is held unless it was approved", async () => {
    await begin();
    await run('mkdir many; cd many; seq 30 | xargs touch');
    const runId = randomUUID();
    expect((await run('rm -r /workspace/many', 'may', runId)).held).toMatchObject({
      deleted: { files: 0 },
      own: { files: 30 },
    });
    await settle(runId, 'drop');
    expect((await run('rm -r /workspace/many; rm /workspace/old', 'note')).held).toBeUndefined();
  });

  it('a run that must be revertible does not begin if its changes could not be dropped', async () => {
    await begin();
    const policy = { mode: 'allow', rules: [{ host: 'example.org' }] };
    await service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/network`, policy);
    await expect(run('echo hi > new')).rejects.toThrow(/hold_unavailable/);
    expect((await run('ls', 'may')).output).toBe('old\n');
  });

  it.each(['hold', 'no hold'] as const)(
    'the effects of a run are reported even if the service is killed before it records them: %s',
    async (how) => {
      await begin();
      const hold = { origin, mode: 'note' } as const;
      const request = service.sandbox.request('rm old; echo 1 > new; sleep 1', { workspaceId });
      const asked = how === 'hold' ? { ...request, hold } : request;
      const running = service.sandbox.toEnd(asked).catch(() => undefined);
      const record = join(ground.config.SANDBOX_STATE_DIR, `${asked.runId}.json`);
      await until(
        () =>
          access(record).then(
            () => true,
            () => false,
          ),
        'it is written down that it begins',
      );
      // A pipe replaces the record, because opening a pipe blocks until the other end is opened.
      await promisify(execFile)('mkfifo', [`${record}.tmp`]);
      const pipe = await open(`${record}.tmp`, 'r');
      await stopService(service, 'SIGKILL');
      await pipe.close();
      await running;
      service = await startService(ground);
      const { effects } = (await service.sandbox.toEnd(asked)).outcome;
      expect(effects).toMatchObject({ created: { paths: ['new'] }, deleted: { paths: ['old'] } });
    },
  );

  it.each(['keep', 'drop'] as const)(
    'changes are still held after kills of the service, during the command and before the verdict: %s',
    async (verdict) => {
      await begin();
      const runId = randomUUID();
      const request = {
        ...service.sandbox.request('rm old; sleep 60', { runId, workspaceId }),
        hold: { origin, mode: 'must' } as const,
      };
      const running = service.sandbox.toEnd(request).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await stopService(service, 'SIGKILL');
      await running;
      service = await startService(ground);
      await wake(runId);
      expect((await service.sandbox.toEnd(request)).outcome.held).toMatchObject({ deleted: { files: 1 } });
      if (verdict === 'drop') await noteAsBefore();
      await stopService(service, 'SIGKILL');
      service = await startService(ground);
      await expect(run('ls')).rejects.toThrow(/workspace_held/);
      expect((await settle(runId, verdict)).status).toBe(204);
      expect((await run('ls')).output).toBe(verdict === 'keep' ? '' : 'old\n');
    },
  );
});
