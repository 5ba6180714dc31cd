import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FileList } from '@aish/contracts/files';
import { createLogger, type RunningService } from '@aish/http';
import { extract, pack, type Headers } from 'tar-stream';
import { Caller, cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { Layers } from '../layers/layers.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
beforeAll(async () => {
  ground = await newTestSettings({ FILES_MAX_MB: '2' });
  const logger = createLogger('error', 'sandbox');
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

const OCTETS = 'application/octet-stream';
const TAR = 'application/x-tar';

/** Keeps the bytes private, so that a failing test does not print them. */
class Answer {
  readonly #bytes: Buffer;

  constructor(
    readonly status: number,
    readonly json: { readonly code: string } | null,
    bytes: Buffer,
  ) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
}

async function send(
  method: string,
  what: string,
  path: string,
  body?: Uint8Array,
  type = OCTETS,
  id = sandbox.workspaceId,
) {
  const response = await fetch(`${service.url}/v1/workspaces/${id}/${what}?path=${encodeURIComponent(path)}`, {
    method,
    headers: {
      authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return new Answer(response.status, isJson ? (JSON.parse(bytes.toString()) as { code: string }) : null, bytes);
}

async function tarOf(...entries: readonly (Headers & { readonly text?: string })[]): Promise<Buffer> {
  const packed = pack();
  void (async () => {
    for (const { text = '', ...headers } of entries) {
      await new Promise<void>((resolve, reject) => {
        const size = Buffer.byteLength(text);
        const entry = packed.entry({ ...headers, size }, (error) => (error ? reject(error) : resolve()));
        if (size > 0) entry.write(text);
        entry.end();
      });
    }
    packed.finalize();
  })();
  return buffer(packed);
}

async function untar(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await new Promise<void>((resolve, reject) => {
    const parsed = extract();
    parsed.on('entry', (headers, stream, next) => {
      void (async () => {
        const content = await buffer(stream);
        found[headers.name] = `${headers.type} ${headers.linkname ?? content.toString()}`;
        next();
      })();
    });
    parsed.on('finish', resolve);
    parsed.on('error', reject);
    parsed.end(bytes);
  });
  return found;
}

describe('files', () => {
  it('commands own an uploaded file, and a download returns exactly its bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 7) % 256));
    expect(await send('PUT', 'file', 'sub/Ünïx -o\n.bin', bytes)).toMatchObject({ status: 204 });
    const { stdout } = await sandbox.run('stat -c "%U:%G %a %s" sub/*; echo more >> sub/*.bin; find . -name ".aish-*"');
    expect(stdout).toBe('aish:aish 644 1500000\n');
    const read = await send('GET', 'file', '/workspace/sub/Ünïx -o\n.bin');
    expect([read.status, read.bytes.equals(Buffer.concat([bytes, Buffer.from('more\n')]))]).toEqual([200, true]);
    expect(await send('PUT', 'file', 'empty', new Uint8Array())).toMatchObject({ status: 204 });
    const empty = await send('GET', 'file', 'empty');
    expect([empty.status, empty.bytes.length]).toEqual([200, 0]);
  });

  it('an upload that replaces a file keeps its permissions, and an upload to a link replaces the link itself', async () => {
    await sandbox.run('echo old > tool; chmod 755 tool; echo target > target; ln -s target link');
    await send('PUT', 'file', 'tool', Buffer.from('new'));
    await send('PUT', 'file', 'link', Buffer.from('plain'));
    expect((await sandbox.run('stat -c %a tool; cat tool; cat target; stat -c %F link')).stdout).toBe(
      '755\nnewtarget\nregular file\n',
    );
  });

  it('a file can be read while the volume of its workspace is replaced', async () => {
    const id = randomUUID();
    await send('PUT', 'file', 'kept', Buffer.from('here'), OCTETS, id);
    let reading: Promise<Answer> | undefined;
    const makeAnew = () =>
      service.app.get(Layers).alone(id, async () => {
        reading = send('GET', 'file', 'kept', undefined, OCTETS, id);
        await new Promise((resolve) => setTimeout(resolve, 300));
      });
    await until(makeAnew, 'nothing has it mounted');
    const { status, bytes } = (await reading) ?? { status: null, bytes: null };
    expect([status, String(bytes)]).toEqual([200, 'here']);
  });

  it('a missing file, a folder and an upload that is too large each have their own error code', async () => {
    expect(await send('GET', 'file', 'none')).toMatchObject({ status: 404, json: { code: 'file_not_found' } });
    expect(await send('GET', 'file', 'x', undefined, OCTETS, randomUUID())).toMatchObject({
      status: 404,
      json: { code: 'file_not_found' },
    });
    await sandbox.run('truncate -s 3M large; mkdir -p folder; mkfifo pipe');
    // The limit applies to uploads, which the service stores on its disk first.
    const large = await send('GET', 'file', 'large');
    expect([large.status, large.bytes.length]).toEqual([200, 3 * 2 ** 20]);
    expect(await send('PUT', 'file', 'more', new Uint8Array(2 ** 21 + 1))).toMatchObject({
      status: 413,
      json: { code: 'file_too_large' },
    });
    for (const path of ['folder', 'pipe', '']) {
      expect(await send('GET', 'file', path)).toMatchObject({ status: 400, json: { code: 'path_not_allowed' } });
    }
    for (const path of ['folder', '', 'large/below']) {
      expect(await send('PUT', 'file', path, Buffer.from('x'))).toMatchObject({
        status: 400,
        json: { code: 'path_not_allowed' },
      });
    }
    expect((await sandbox.run('rm large; ls more')).outcome.exitCode).toBe(2);
    expect(await send('PUT', 'file', 'a', Buffer.from('{}'), 'application/json')).toMatchObject({ status: 415 });
  });
});

describe('folders', () => {
  it('a folder listing has names, types, sizes and times', async () => {
    await sandbox.run(
      'mkdir l; cd l; mkdir d; printf abc > "f\n1"; ln -s d s; mkfifo p; touch -d 2001-02-03T04:05:06Z d',
    );
    const list = FileList.parse((await send('GET', 'files', 'l')).json);
    const at = expect.any(String);
    expect(list).toEqual({
      path: '/workspace/l',
      isCut: false,
      items: [
        {
          name: 'd',
          type: 'folder',
          sizeBytes: expect.any(Number),
          modifiedAt: '2001-02-03T04:05:06.000Z',
          target: null,
        },
        { name: 'f\n1', type: 'file', sizeBytes: 3, modifiedAt: at, target: null },
        { name: 'p', type: 'other', sizeBytes: 0, modifiedAt: at, target: null },
        { name: 's', type: 'link', sizeBytes: 1, modifiedAt: at, target: 'd' },
      ],
    });
    await sandbox.run('cd /workspace/l; mkdir many; cd many; seq 10001 | xargs touch');
    const many = FileList.parse((await send('GET', 'files', 'l/many')).json);
    expect([many.items.length, many.isCut]).toEqual([10_000, true]);
    await sandbox.run('cd /workspace; rm -r l');
  });

  it('a folder can be downloaded and uploaded as a tar', async () => {
    await sandbox.run('cd /workspace; mkdir -p t/a; echo one > t/a/1; ln -s a/1 t/link; chmod 700 t/a/1');
    const out = await send('GET', 'archive', 't');
    expect(await untar(out.bytes)).toEqual({
      './t/': 'directory ',
      './t/a/': 'directory ',
      './t/a/1': 'file one\n',
      './t/link': 'symlink a/1',
    });
    expect(await send('PUT', 'archive', 'copies/of', out.bytes, TAR)).toMatchObject({ status: 204 });
    expect((await sandbox.run('cd copies/of/t; cat link; stat -c "%a %U" a/1')).stdout).toBe('one\n700 aish\n');
    expect((await send('GET', 'archive', '')).status).toBe(200);
    expect(await send('PUT', 'archive', 'x', Buffer.from('no tar at all'.repeat(100)), TAR)).toMatchObject({
      status: 400,
      json: { code: 'invalid_body' },
    });
  });
});

describe('attacks on files', () => {
  it('a path that leads out of the workspace is refused', async () => {
    for (const path of [
      '../etc/passwd',
      'a/../../etc',
      '/etc/passwd',
      '/workspace/../etc/passwd',
      'a\0b',
      '/workspaces',
    ]) {
      for (const what of ['files', 'file', 'archive']) {
        expect(await send('GET', what, path)).toMatchObject({ status: 400, json: { code: 'path_not_allowed' } });
      }
      expect(await send('PUT', 'file', path, Buffer.from('x'))).toMatchObject({ json: { code: 'path_not_allowed' } });
    }
  });

  it('a link out of the workspace reveals no file of the host or the container', async () => {
    await sandbox.run(
      'cd /workspace; ln -s /etc/passwd out; ln -s / root; ln -s ../../../../etc up; ln -s /tmp tmp; ln -s nowhere dead',
    );
    for (const path of ['out', 'root/etc/passwd', 'up/passwd', 'root', 'root/proc/1/environ', 'up']) {
      for (const what of ['files', 'file', 'archive']) {
        const { status, bytes, json } = await send('GET', what, path);
        expect([path, what, status, json?.code]).toEqual([path, what, 400, 'path_not_allowed']);
        expect(bytes.toString()).not.toContain('root:x');
      }
    }
    for (const path of ['root/tmp/x', 'tmp/x', 'up/x']) {
      expect(await send('PUT', 'file', path, Buffer.from('x'))).toMatchObject({ json: { code: 'path_not_allowed' } });
      expect(await send('PUT', 'archive', path, await tarOf({ name: 'x' }), TAR)).toMatchObject({
        json: { code: 'path_not_allowed' },
      });
    }
    expect(await send('GET', 'file', 'dead')).toMatchObject({ json: { code: 'file_not_found' } });
    // A link in a tar stays a link, and the tar does not include its target.
    const whole = await untar((await send('GET', 'archive', '')).bytes);
    expect(whole['./out']).toBe('symlink /etc/passwd');
  });

  it('an archive with a forbidden entry is refused as a whole', async () => {
    const harmless = { name: 'harmless', text: 'x' };
    const entries: Headers[] = [
      { name: '../escaped' },
      { name: 'a/../../escaped' },
      { name: '/etc/escaped' },
      { name: 'hard', type: 'link', linkname: '/etc/passwd' },
      { name: 'hard', type: 'link', linkname: '../outside' },
      { name: 'soft', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'a/soft', type: 'symlink', linkname: '../../etc/passwd' },
      { name: 'device', type: 'character-device' },
      { name: 'disk', type: 'block-device' },
      { name: 'pipe', type: 'fifo' },
    ];
    for (const entry of entries) {
      const answer = await send('PUT', 'archive', 'tricked', await tarOf(harmless, entry), TAR);
      expect([entry, answer.status, answer.json?.code]).toEqual([entry, 400, 'path_not_allowed']);
    }
    expect((await sandbox.run('ls /workspace/tricked')).outcome.exitCode).toBe(2);
  });

  it('an archive cannot gain privileges or write through a link', async () => {
    const setuid = await tarOf({ name: 'gain', mode: 0o6777, text: 'x' }, { name: 'root/tmp/through', text: 'x' });
    expect((await send('PUT', 'archive', '', setuid, TAR)).json?.code ?? 'written').toMatch(/path_not_allowed|written/);
    expect((await sandbox.run('stat -c "%a %U" /workspace/gain; ls /tmp/through')).stdout).toBe('755 aish\n');
  });
});

it('the helper container of a download is removed even if the reader disconnects half-way', async () => {
  await sandbox.run('head -c 1900000 /dev/urandom > /workspace/random');
  const leave = new AbortController();
  const response = await fetch(`${service.url}/v1/workspaces/${sandbox.workspaceId}/file?path=random`, {
    headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}` },
    signal: leave.signal,
  });
  await response.body?.getReader().read();
  leave.abort();
  expect(response.status).toBe(200);
  const filters = { label: ['dev.aish.helper', `dev.aish.instance=${ground.instance}`] };
  await until(async () => (await docker.listContainers({ all: true, filters })).length === 0, 'the helpers are gone');
});
