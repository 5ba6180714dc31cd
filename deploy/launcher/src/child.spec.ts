import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startChild, type Child } from './child.js';
import { startOf } from './leftovers.js';
import { openLog } from './log-file.js';

let dir: string;
const children: Child[] = [];
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'aish-child-'));
});
afterAll(async () => {
  for (const child of children) child.kill();
  await rm(dir, { recursive: true, force: true });
});

const policy = { deathsAllowed: 3, windowMs: 60_000, firstPauseMs: 10, longestPauseMs: 20 };

async function script(name: string, code: string): Promise<string> {
  const file = path.join(dir, `${name}.mjs`);
  await writeFile(file, code);
  return file;
}

async function start(name: string, code: string) {
  const log = openLog(path.join(dir, `${name}.log`));
  const seen = {
    text: () => readFileSync(log.path, 'utf8'),
    restarts: [] as string[],
    givenUp: null as string | null,
  };
  const child = startChild({
    name,
    main: await script(name, code),
    env: { ONLY: 'this' },
    logFd: log.fd,
    onRestart: (why) => void seen.restarts.push(why),
    onGivenUp: (why) => (seen.givenUp = why),
    policy,
  });
  children.push(child);
  return { child, seen };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await condition()) return;
    await sleep(25);
  }
  throw new Error('it did not happen within 10 s');
}

const stay = 'setInterval(() => {}, 1000);';

describe('startChild', () => {
  it('a child gets exactly the given environment, and no variable of the launcher', async () => {
    const { child, seen } = await start('env', `console.log(JSON.stringify(process.env)); ${stay}`);
    await until(() => seen.text().includes('}'));
    const env = JSON.parse(seen.text()) as Record<string, string>;
    expect(Object.keys(env).filter((name) => name !== 'NODE_CHANNEL_FD')).not.toContain('PATH');
    expect(env['ONLY']).toBe('this');
    await child.stop(2_000);
    expect(await child.running()).toBeNull();
  });

  it('a child that dies is restarted, and given up if that does not help', async () => {
    const { seen } = await start('dies', 'process.exit(7)');
    await until(() => seen.givenUp !== null);
    expect(seen.restarts).toEqual(['exited with code 7', 'exited with code 7', 'exited with code 7']);
    expect(seen.givenUp).toBe('exited with code 7');
  });

  it('a child that ignores SIGTERM is killed and not restarted', async () => {
    const { child, seen } = await start('stubborn', `process.on('SIGTERM', () => {}); console.log('up'); ${stay}`);
    await until(() => seen.text().includes('up'));
    await child.stop(200);
    expect(await child.running()).toBeNull();
    expect(seen.restarts).toEqual([]);
  });

  it('a child ends when its parent is killed', async () => {
    const main = await script('orphan', `process.on('SIGTERM', () => process.exit(0)); console.log('up'); ${stay}`);
    const leash = fileURLToPath(new URL('../leash.mjs', import.meta.url));
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').spawn(process.execPath, ['--import', ${JSON.stringify(leash)}, ${JSON.stringify(main)}],
          { detached: true, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
        child.stdout.once('data', () => console.log(child.pid));`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (data) => resolve(Number(data))));
    const startedAt = await startOf(pid);
    expect(startedAt).not.toBeNull();
    parent.kill('SIGKILL');
    await until(async () => (await startOf(pid)) !== startedAt);
  });
});
