import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ChangeList } from '@aish/contracts/effects';
import { Snapshot, SnapshotList, UndoPreview } from '@aish/contracts/files';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import {
  containersOf,
  cleanUp,
  docker,
  newTestSettings,
  until,
  wake,
  warmOf,
  type Answer,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';

jest.setTimeout(120_000);

let ground: TestSettings;
let service: Service;
beforeAll(async () => {
  ground = await newTestSettings();
  service = await startService(ground);
});
afterAll(async () => {
  await stopService(service, 'SIGTERM');
  await cleanUp(ground);
});

const at = (workspaceId: string, rest = '') => `/v1/workspaces/${workspaceId}/snapshots${rest}`;
const listed = async (workspaceId: string) =>
  SnapshotList.parse((await service.sandbox.ask('GET', at(workspaceId))).body).items.map(({ actionId }) => actionId);
const undoPreview = async (workspaceId: string, runId: string) =>
  UndoPreview.parse((await service.sandbox.ask('GET', at(workspaceId, `/${runId}`))).body).effects;
const undo = (workspaceId: string, runId: string, query = ''): Promise<Answer> =>
  service.sandbox.ask('POST', at(workspaceId, `/${runId}/restore${query}`));
/** Runs a command once its container is ready, as happens between the answers of a model. */
const run = async (workspaceId: string, command: string) => {
  const runId = randomUUID();
  const ended = await service.sandbox.run(command, { workspaceId, runId });
  await until(async () => (await warmOf(workspaceId)).length > 0, 'a container is ready');
  return { runId, ...ended };
};

it('a deletion of 20,000 files is undone within seconds, and the undo preview shows what is lost', async () => {
  const workspaceId = randomUUID();
  const first = await run(
    workspaceId,
    'mkdir place; cd place; export A=1; seq 20000 | xargs touch; echo precious > file',
  );
  const second = await run(workspaceId, 'rm -rf /workspace/place; cd /workspace; export A=2');
  const third = await run(workspaceId, 'echo later > later');
  expect(await listed(workspaceId)).toEqual([third.runId, second.runId, first.runId]);
  expect(await undoPreview(workspaceId, second.runId)).toMatchObject({
    created: { files: 20_001, bytes: 9 },
    changed: { files: 0 },
    deleted: { files: 1, bytes: 6, paths: ['later'] },
    complete: true,
  });
  const before = performance.now();
  const answer = await undo(workspaceId, second.runId);
  expect([answer.status, Snapshot.parse(answer.body).actionId]).toEqual([200, second.runId]);
  expect(performance.now() - before).toBeLessThan(5_000);
  const { stdout } = await run(workspaceId, 'pwd; echo $A; cat file; ls | wc -l; ls /workspace');
  expect(stdout).toBe('/workspace/place\n1\nprecious\n20001\nplace\n');
  expect((await undo(workspaceId, third.runId)).status).toBe(404);
  expect((await undo(workspaceId, first.runId)).status).toBe(200);
  expect((await run(workspaceId, 'ls -A')).stdout).toBe('');
});

it('all changes of a command are listed in pages as long as its layer exists', async () => {
  const workspaceId = randomUUID();
  await run(workspaceId, 'mkdir d; cd d; seq 1500 | xargs touch; cd ..; echo 1 > changed');
  const { runId } = await run(workspaceId, 'rm -r d; echo 22 > changed; touch "new\nline"');
  await run(workspaceId, 'touch later');
  const path = `/v1/workspaces/${workspaceId}/changes/${runId}?limit=1000`;
  const list = async (query = '') => ChangeList.parse((await service.sandbox.ask('GET', path + query)).body);
  const first = await list();
  expect([first.items.length, first.total, first.complete]).toEqual([1000, 1502, true]);
  const second = await list(`&cursor=${first.next}`);
  expect(second).toMatchObject({ next: null, total: 1502 });
  const paths = [...first.items, ...second.items].map((each) => `${each.kind} ${each.path} ${each.bytes}`);
  const gone = Array.from({ length: 1500 }, (_, n) => `deleted d/${n + 1} 0`).toSorted();
  expect(paths).toEqual([...gone, 'changed changed 3', 'created new\nline 0']);
  await undo(workspaceId, runId);
  expect(await service.sandbox.ask('GET', path)).toMatchObject({ status: 410, body: { code: 'changes_not_kept' } });
});

it('an undo does not remove files that a person uploaded before the undone command', async () => {
  const workspaceId = randomUUID();
  await run(workspaceId, 'echo mine > mine');
  const put = await fetch(`${service.sandbox.url}/v1/workspaces/${workspaceId}/file?path=put`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: 'put',
  });
  expect(put.status).toBeLessThan(300);
  const runId = randomUUID();
  expect((await service.sandbox.ask('POST', at(workspaceId), { actionId: runId })).status).toBe(200);
  await service.sandbox.run('rm *', { workspaceId, runId });
  expect(await undoPreview(workspaceId, runId)).toMatchObject({ created: { files: 2, paths: ['mine', 'put'] } });
  expect((await undo(workspaceId, runId)).status).toBe(200);
  expect((await run(workspaceId, 'cat mine put')).stdout).toBe('mine\nput');
  const copies = await docker.listVolumes({ filters: { label: [`dev.aish.snapshot-of=${workspaceId}`] } });
  expect(copies.Volumes).toEqual([]);
});

it('an undo is refused while a command runs, and works after a crash of the service', async () => {
  const workspaceId = randomUUID();
  await run(workspaceId, 'echo 1 > file');
  const second = await run(workspaceId, 'rm file');
  const runId = randomUUID();
  const ending = service.sandbox.run('sleep 60', { workspaceId, runId });
  await until(async () => (await containersOf(runId)).length > 0, 'it runs');
  await until(async () => (await undo(workspaceId, second.runId)).status === 409, 'it is refused');
  await wake(runId);
  await ending;
  await stopService(service, 'SIGKILL');
  service = await startService(ground);
  await until(async () => (await undo(workspaceId, second.runId)).status === 200, 'it is undone');
  expect((await run(workspaceId, 'cat file')).stdout).toBe('1\n');
});

it('one command alone can be undone without losing later changes, unless they affect the same paths', async () => {
  const workspaceId = randomUUID();
  const first = await run(workspaceId, 'mkdir a b; echo 1 > a/one; echo 2 > b/two; echo 3 > three');
  const second = await run(workspaceId, 'rm -r b; echo more >> three; echo new > a/new');
  const third = await run(workspaceId, 'cd a; echo later > later');
  const only = async (runId: string) =>
    UndoPreview.parse((await service.sandbox.ask('GET', at(workspaceId, `/${runId}?only=true`))).body);
  expect(await only(second.runId)).toMatchObject({
    effects: { created: { paths: ['b/two'] }, changed: { paths: ['three'] }, deleted: { paths: ['a/new'] } },
    touched: [],
  });
  expect((await only(first.runId)).touched).toEqual(['b', 'b/two', 'three']);
  const refused = await undo(workspaceId, first.runId, '?only=true');
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'undo_overlaps', paths: ['b', 'b/two', 'three'] },
  ]);

  expect((await undo(workspaceId, second.runId, '?only=true')).status).toBe(200);
  const look = await run(workspaceId, 'pwd; ls; cat later ../three ../b/two');
  expect(look.stdout).toBe('/workspace/a\nlater\none\nlater\n3\n2\n');
  expect((await undo(workspaceId, second.runId, '?only=true')).status).toBe(404);
  expect((await undo(workspaceId, third.runId)).status).toBe(200);
});

it('files uploaded after a command survive the undo of that command alone', async () => {
  const workspaceId = randomUUID();
  const first = await run(workspaceId, 'echo mine > mine');
  await fetch(`${service.sandbox.url}/v1/workspaces/${workspaceId}/file?path=put`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: 'put',
  });
  expect((await undo(workspaceId, first.runId, '?only=true')).status).toBe(200);
  expect((await run(workspaceId, 'ls')).stdout).toBe('put\n');
});
