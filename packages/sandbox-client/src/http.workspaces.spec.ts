import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpSandbox } from './http.sandbox.js';
import { HttpWorkspaces } from './http.workspaces.js';

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Answer = (response: http.ServerResponse, request: http.IncomingMessage) => void;

/** Starts a server that produces responses which the real service does not produce on demand. */
async function serving(answer: Answer): Promise<string> {
  const server = http.createServer((request, response) => answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = async (answer: Answer) => new HttpWorkspaces(await serving(answer), 'token');
const problem = (status: number, code: string): Answer => {
  const body = JSON.stringify({ type: 't', title: 't', status, code, detail: `because of ${code}` });
  return (response) => response.writeHead(status, { 'content-type': 'application/problem+json' }).end(body);
};

describe('the workspaces of a sandbox over HTTP', () => {
  it('a refused workspace request fails with the code and message from the service', async () => {
    for (const [status, code] of [
      [404, 'file_not_found'],
      [413, 'file_too_large'],
      [400, 'path_not_allowed'],
      [409, 'locked'],
      [507, 'disk_full'],
    ] as const) {
      const workspaces = await client(problem(status, code));
      const refusal = { code, message: `because of ${code}` };
      await expect(workspaces.list('w', '', never)).rejects.toMatchObject(refusal);
      await expect(workspaces.read('w', 'a', 'file', never)).rejects.toMatchObject(refusal);
      await expect(workspaces.remove('w', never)).rejects.toMatchObject(refusal);
    }
  });

  it('workspace requests send the token, and escape special characters in paths', async () => {
    const asked: string[] = [];
    const workspaces = await client((response, request) => {
      asked.push(`${request.headers.authorization} ${request.url}`);
      response.end('{"path":"/workspace","items":[],"isCut":false}');
    });
    await workspaces.list('w', 'a&b=c#d?e/é', never);
    expect(asked).toEqual(['Bearer token /v1/workspaces/w/files?path=a%26b%3Dc%23d%3Fe%2F%C3%A9']);
  });

  it('the size of an archive is unknown in advance, and reading it fails if the connection breaks', async () => {
    const workspaces = await client((response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      response.write('half', () => response.destroy());
    });
    const { sizeBytes, body } = await workspaces.read('w', '', 'archive', never);
    expect(sizeBytes).toBeNull();
    await expect(new Response(body).arrayBuffer()).rejects.toThrow('terminated');
  });

  it('the body of a workspace request is sent completely, and never a second time', async () => {
    const bodies: Buffer[] = [];
    const whole = await client((response, request) => {
      void (async () => {
        bodies.push(await buffer(request));
        response.writeHead(204).end();
      })();
    });
    const chunks = async function* () {
      for (let n = 0; n < 20; n += 1) yield Buffer.alloc(10_000, String(n % 10));
    };
    await whole.write('w', 'a', 'file', chunks(), never);
    expect([bodies.length, bodies[0]?.length, bodies[0]?.at(-1)]).toEqual([1, 200_000, '9'.codePointAt(0)]);
    let asked = 0;
    const broken = await client((_, request) => {
      asked += 1;
      request.socket.destroy();
    });
    await expect(broken.write('w', 'a', 'file', chunks(), never)).rejects.toMatchObject({
      code: 'sandbox_unreachable',
    });
    expect(asked).toBe(1);
  });

  it('a workspace request ends when its signal aborts', async () => {
    const leave = new AbortController();
    const workspaces = await client(() => void setTimeout(() => leave.abort(), 30));
    await expect(workspaces.preview('w', { command: 'rm x' }, leave.signal)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('a workspace error without a problem document counts as interrupted', async () => {
    const workspaces = await client((response) => response.writeHead(502).end('<html>'));
    const open = { code: 'sandbox_interrupted', message: expect.stringContaining('502') };
    await expect(workspaces.snapshot('w', 'a', never)).rejects.toMatchObject(open);
    await expect(workspaces.restore('w', 'a', { only: false }, never)).rejects.toMatchObject(open);
  });
});

describe('the execution context of a command over HTTP', () => {
  const reported = { folder: '/workspace/a', variables: [{ name: 'PATH', value: '/x' }], digest: '0f'.repeat(32) };

  it('the execution context comes from the service, and an invalid answer is an error', async () => {
    const url = await serving((response) => response.end(JSON.stringify(reported)));
    expect(await new HttpSandbox(url, 'token').executionContext('w', never)).toEqual(reported);
    const odd = await serving((response) => response.end(JSON.stringify({ ...reported, digest: 'short' })));
    await expect(new HttpSandbox(odd, 'token').executionContext('w', never)).rejects.toThrow('digest');
  });

  it('a run is refused before it begins if the execution context has changed', async () => {
    const url = await serving(problem(409, 'execution_context_changed'));
    const request = { runId: 'r', workspaceId: 'w', command: 'rm -rf build', expectedContextDigest: reported.digest };
    const frames = new HttpSandbox(url, 'token').run(request, never);
    await expect(frames[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'execution_context_changed' });
  });
});
