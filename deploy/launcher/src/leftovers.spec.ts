import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endLeftovers, recordProcesses, startOf } from './leftovers.js';

let dir: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'aish-left-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

async function running(code: string): Promise<{ child: ChildProcess; pid: number; startedAt: string }> {
  const child = spawn(process.execPath, ['-e', `${code}; console.log('up'); setInterval(() => {}, 1000)`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const pid = child.pid ?? 0;
  return { child, pid, startedAt: (await startOf(pid)) ?? '' };
}

const endOf = (child: ChildProcess): Promise<string | null> =>
  child.signalCode === null
    ? new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    : Promise.resolve(child.signalCode);

describe('endLeftovers', () => {
  it('recorded processes are ended, even if they ignore SIGTERM, and their record is removed', async () => {
    const [polite, stubborn] = await Promise.all([running(''), running("process.on('SIGTERM', () => {})")]);
    const file = path.join(dir, 'a.json');
    await recordProcesses(file, [
      { name: 'api', pid: polite.pid, startedAt: polite.startedAt },
      { name: 'sandbox', pid: stubborn.pid, startedAt: stubborn.startedAt },
    ]);
    const ends = Promise.all([endOf(polite.child), endOf(stubborn.child)]);
    expect(await endLeftovers(file, 500)).toEqual(['api', 'sandbox']);
    expect(await ends).toEqual(['SIGTERM', 'SIGKILL']);
    expect(existsSync(file)).toBe(false);
  });

  it('a process that only has the number of a recorded one is left alone', async () => {
    const other = await running('');
    const file = path.join(dir, 'b.json');
    await recordProcesses(file, [{ name: 'api', pid: other.pid, startedAt: 'long ago' }]);
    expect(await endLeftovers(file, 500)).toEqual([]);
    expect(await startOf(other.pid)).toBe(other.startedAt);
  });

  it('a missing or broken record of processes counts as empty', async () => {
    const file = path.join(dir, 'c.json');
    expect(await endLeftovers(file)).toEqual([]);
    await writeFile(file, '{"pid":');
    expect(await endLeftovers(file)).toEqual([]);
  });
});
