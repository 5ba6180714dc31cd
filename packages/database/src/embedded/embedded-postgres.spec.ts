import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';

jest.setTimeout(120_000);

let home: string;
let dataDir: string;
let servers: EmbeddedPostgres[];

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'aish-embedded-'));
  await run('chmod', ['755', home]);
  dataDir = path.join(home, 'data');
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(home, { recursive: true, force: true });
});

const password = 'p@ss/w:rd%20';

async function start(more: { readonly dataDir?: string; readonly password?: string } = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, password, createUser: true, ...more });
  servers.push(server);
  return server;
}

async function ask(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn(command, args), 'exit')) as [number];
  expect(code).toBe(0);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function untilDead(pid: number): Promise<void> {
  for (const deadline = Date.now() + 30_000; isAlive(pid);) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still lives`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('startEmbeddedPostgres', () => {
  it('an embedded server keeps its data after a restart, runs with fsync, and requires the password', async () => {
    const first = await start();
    await ask(first, 'create table kept as select 42 as n');
    expect(
      await ask(first, `select name, setting from pg_settings where name in ('fsync', 'listen_addresses')`),
    ).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
    ]);
    const stranger = new Client({ connectionString: first.url().replace(/:[^:@]*@/, ':wrong@') });
    await expect(stranger.connect()).rejects.toThrow(/password authentication failed/);
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    expect(await first.ended).toEqual({ code: 0 });
    expect(await ask(await start(), 'select n from kept')).toEqual([{ n: 42 }]);
  });

  it('a second start on the same data folder is refused, and the error names the running server', async () => {
    const first = await start();
    await expect(start()).rejects.toMatchObject({
      code: 'locked',
      facts: { dataDir, pid: first.pid, port: first.port, since: expect.stringMatching(/^20/) },
    });
    expect(await ask(first, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('committed data is still there after kill -9', async () => {
    const first = await start();
    await ask(first, 'create table kept as select generate_series(1, 1000) as n');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    expect(await ask(await start(), 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
  });

  it('a postmaster.pid whose number now belongs to another process does not prevent a start', async () => {
    const first = await start();
    await first.stop();
    const sleeper = spawn('sleep', ['60'], process.getuid?.() === 0 ? await ownerOf(dataDir) : {});
    try {
      const stale = `${sleeper.pid}\n${dataDir}\n1700000000\n5432\n\n127.0.0.1\n0 0\nready\n`;
      await writeFile(path.join(dataDir, 'postmaster.pid'), stale);
      expect(await ask(await start(), 'select 1 as n')).toEqual([{ n: 1 }]);
    } finally {
      sleeper.kill();
    }
  });

  it('the embedded server stops when the process that started it dies, even after kill -9', async () => {
    const module = fileURLToPath(new URL('../../dist/embedded/embedded-postgres.js', import.meta.url));
    const script = `
      const { startEmbeddedPostgres } = await import(process.argv[1]);
      const server = await startEmbeddedPostgres({ dataDir: process.argv[2], password: 'x', createUser: true });
      console.log(server.pid);
      setInterval(() => undefined, 1000);`;
    const args = ['--input-type=module', '-e', script, module, dataDir];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await untilDead(pid);
    expect(await ask(await start({ password: 'x' }), 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('a password that differs from the one of the data folder is reported', async () => {
    await (await start()).stop();
    await expect(start({ password: 'another' })).rejects.toThrow(/The password does not fit the data folder/);
  });

  it('a folder with other contents is not used as data folder and stays unchanged', async () => {
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'letter.txt'), 'dear');
    await expect(start()).rejects.toThrow(/is not empty and contains no database/);
    expect(await readFile(path.join(dataDir, 'letter.txt'), 'utf8')).toBe('dear');
  });
});

async function ownerOf(dir: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(dir);
  return { uid, gid };
}
