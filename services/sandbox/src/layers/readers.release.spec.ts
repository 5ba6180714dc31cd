import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import {
  cleanUp,
  docker,
  newTestSettings,
  until,
  type Answer,
  type TestSettings,
} from '../../testing/sandbox.fixture.js';

jest.setTimeout(150_000);

const BIG_BYTES = 48 * 2 ** 20;
const OCTETS = 'application/octet-stream';

describe('commands are held while anybody reads or sends files', () => {
  let ground: TestSettings;
  let service: Service;
  let workspaceId: string;
  let origin: string;
  /** Functions that clean up after a failing test. */
  const onTestEnd: (() => void)[] = [];

  afterEach(() => {
    for (const end of onTestEnd.splice(0)) end();
  });

  beforeAll(async () => {
    ground = await newTestSettings({ SANDBOX_LAYERS: 'on', UNDO_COMMANDS: '3' });
    service = await startService(ground);
  });

  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  });

  beforeEach(() => {
    workspaceId = randomUUID();
    origin = randomUUID();
  });

  const at = (rest: string) => `/v1/workspaces/${workspaceId}/${rest}`;
  const ask = (method: string, rest: string, body?: unknown): Promise<Answer> =>
    service.sandbox.ask(method, at(rest), body);

  async function run(command: string, runId = randomUUID()): Promise<RunOutcome> {
    return (await service.sandbox.run(command, { runId, workspaceId, hold: { origin, mode: 'may' } })).outcome;
  }

  const settle = async (runId: string, verdict: 'keep' | 'drop') =>
    (await ask('PUT', `held/${runId}`, { verdict })).status;

  function open(method: string, path: string): ClientRequest {
    const headers = { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, 'content-type': OCTETS };
    return request(`${service.sandbox.url}${at(`file?path=${path}`)}`, { method, headers });
  }

  async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  }

  /** Begins an upload. The returned function sends the last bytes, which ends the upload. */
  function beginPut(path: string, first = ''): (last: string) => Promise<number | undefined> {
    const asked = open('PUT', path);
    const answered = answerTo(asked);
    asked.write(first === '' ? ' ' : first);
    return async (last) => {
      asked.end(last);
      const answer = await answered;
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode;
    };
  }

  const put = (path: string, body: string) => beginPut(path, body)('');

  it("a command that overwrites a person's file is held every time, while others list the workspace continuously", async () => {
    await put('old', 'precious\n');
    const stop = new AbortController();
    const list = async () => {
      while (!stop.signal.aborted) expect((await ask('GET', 'files?path=')).status).toBe(200);
    };
    const listing = Promise.all([list(), list()]);
    try {
      const ends: unknown[] = [];
      for (let n = 0; n < 6; n++) {
        const runId = randomUUID();
        ends.push((await run(`echo ${n} > old; mkdir d${n}`, runId)).held?.overwritten);
        expect(await settle(runId, 'drop')).toBe(204);
        await run(`echo ${n} > mine${n}`);
      }
      expect(ends).toEqual(Array.from({ length: 6 }, () => ({ files: 1, bytes: 9 })));
    } finally {
      stop.abort();
      await listing;
    }
    expect((await run('cat old; ls')).output).toBe('precious\nmine0\nmine1\nmine2\nmine3\nmine4\nmine5\nold\n');
  });

  it('commands can be held, dropped and undone during a slow download and a slow upload', async () => {
    await put('notes.txt', 'precious\n');
    const big = randomBytes(BIG_BYTES);
    const sending = open('PUT', 'big.bin');
    sending.end(big);
    expect((await answerTo(sending)).statusCode).toBe(204);
    const asked = open('GET', 'big.bin');
    asked.end();
    const slow = await answerTo(asked);
    slow.pause();
    onTestEnd.push(() => slow.destroy());
    expect(await put('mine.txt', 'mine\n')).toBe(204);

    const dropped = randomUUID();
    expect((await run('echo x > notes.txt; rm mine.txt', dropped)).held).toMatchObject({
      deleted: { files: 1 },
      overwritten: { files: 1 },
    });
    expect(await settle(dropped, 'drop')).toBe(204);
    const kept = randomUUID();
    expect((await run('rm notes.txt', kept)).held).toMatchObject({ deleted: { files: 1 } });
    expect(await settle(kept, 'keep')).toBe(204);
    expect((await ask('POST', `snapshots/${kept}/restore`)).status).toBe(200);
    expect((await run('cat notes.txt mine.txt')).output).toBe('precious\nmine\n');

    const chunks: Uint8Array[] = [];
    for await (const chunk of slow as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(big)).toBe(true);
  });

  it('a listing during a command shows the changes so far, and leaves no volume behind', async () => {
    await put('old', 'precious\n');
    const running = run('rm old; echo 1 > new; sleep 2');
    const names = async () => {
      const { body } = await ask('GET', 'files?path=');
      return (body as { readonly items: readonly { readonly name: string }[] }).items.map(({ name }) => name);
    };
    await until(async () => (await names()).join() === 'new', 'it is seen what it did');
    expect((await running).held).toMatchObject({ deleted: { files: 1 } });
    const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.reading'] };
    await until(async () => (await docker.listVolumes({ filters })).Volumes.length === 0, 'no volume is left');
  });

  it('a command does not start while its changes cannot be held, and starts once they can', async () => {
    await put('old', 'precious\n');
    const Source = `aish-ws-${ground.instance}-${workspaceId}`;
    const mounts = async () => {
      const container = await docker.createContainer({
        Image: ground.config.SANDBOX_IMAGE,
        Cmd: ['sleep', '600'],
        Labels: { 'dev.aish.instance': ground.instance },
        HostConfig: { Mounts: [{ Type: 'volume', Source, Target: '/workspace' }] },
      });
      await container.start();
      return container;
    };
    // The upload wrote to the top layer, and this container keeps that layer mounted.
    const other = await mounts();
    await expect(run('echo x > old')).rejects.toThrow(/hold_unavailable/);
    const waiting = run('echo x > old');
    await sleep(1_000);
    await other.remove({ force: true });
    expect((await waiting).held).toMatchObject({ overwritten: { files: 1, bytes: 9 } });
  });

  it('the outcome of a run says why its changes could not be judged', async () => {
    const off = await newTestSettings({ SANDBOX_LAYERS: 'off' });
    const without = await startService(off);
    try {
      const { outcome } = await without.sandbox.run('echo 1 > new', { hold: { origin, mode: 'may' } });
      expect(outcome).toMatchObject({ exitCode: 0, unheld: 'SANDBOX_LAYERS=off' });
    } finally {
      await stopService(without, 'SIGTERM');
      await cleanUp(off);
    }
    expect((await run('echo 1 > new')).unheld).toBeUndefined();
  });

  it('an upload that ends while a command waits for a verdict is refused, and no file is lost', async () => {
    await put('old', 'precious\n');
    const end = beginPut('owner.txt', 'of the ');
    await sleep(300);
    const runId = randomUUID();
    expect((await run('echo x > old', runId)).held).toMatchObject({ overwritten: { files: 1 } });
    expect(await end('owner\n')).toBe(409);
    expect(await settle(runId, 'drop')).toBe(204);
    expect(await put('owner.txt', 'of the owner\n')).toBe(204);
    expect((await run('cat old owner.txt')).output).toBe('precious\nof the owner\n');
  });

  it("an uploaded file is the person's, even if the goal wrote the same file during the upload", async () => {
    const end = beginPut('report.md', 'of the ');
    await sleep(300);
    const runId = randomUUID();
    expect((await run('echo mine > report.md', runId)).held).toBeUndefined();
    expect(await end('owner\n')).toBe(204);
    const later = randomUUID();
    expect((await run('echo mine again > report.md', later)).held).toMatchObject({ overwritten: { files: 1 } });
    expect(await settle(later, 'drop')).toBe(204);
    // The command has its own layer, so it could be undone alone, but the upload prevents that.
    const alone = await ask('POST', `snapshots/${runId}/restore?only=true`);
    expect(alone).toMatchObject({ status: 409, body: { code: 'undo_overlaps' } });
    expect((await run('cat report.md')).output).toBe('of the owner\n');
  });

  it('an upload waits for a command that ends soon, and commands wait for the upload', async () => {
    await put('old', 'precious\n');
    const end = beginPut('late.txt', 'late');
    await sleep(300);
    const running = run('sleep 1; ls');
    await sleep(300);
    const ended = end('\n');
    expect((await running).output).toBe('old\n');
    expect([await ended, (await run('cat late.txt')).output]).toEqual([204, 'late\n']);
    const all = Array.from({ length: 4 }, (_, n) => put(`side${n}`, `${n}\n`));
    expect([await Promise.all(all), (await run('cat side*')).output]).toEqual([Array(4).fill(204), '0\n1\n2\n3\n']);
  });
});
