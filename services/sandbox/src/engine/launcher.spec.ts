import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cleanUp, docker, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { NEW_SESSION } from '../workspaces/session.js';
import { containerSpec } from './container-spec.js';
import { tokenInput, commandInput, newToken } from './launcher.js';

jest.setTimeout(60_000);

let ground: TestSettings;
beforeAll(async () => {
  ground = await newTestSettings();
});
afterAll(() => cleanUp(ground));

/**
 * Runs a command as the service does, and returns everything that its launcher prints, including marks. Nobody removes
 * the container after the command, so the launcher and any surviving process run for another second.
 */
async function launched(command: string, { keep = true, workspaceId = randomUUID() } = {}) {
  const token = newToken();
  const run = { runId: randomUUID(), workspaceId, token, deadline: new Date(Date.now() + 60_000) };
  const container = await docker.createContainer(containerSpec(run, ground.config));
  const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let text = '';
  stdout.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  stderr.resume();
  docker.modem.demuxStream(stream, stdout, stderr);
  await container.start();
  stream.write(tokenInput(token) + commandInput({ command, session: NEW_SESSION, keep, strict: false }));
  await container.wait();
  await finished(stream.resume(), { writable: false });
  const part = (n: number) => `\x1e${token.slice(n * 32, (n + 1) * 32)}`;
  return { container, stdout: text, begin: part(0), hand: part(1), end: part(2) };
}

const LATE = '(sleep 0.3; echo late > late; echo late) & sleep 0.1';

describe('processes of a command after its end', () => {
  it.each([
    ['it hands nothing on', false, LATE],
    ['its shell became another program', true, `exec sh -c '${LATE}'`],
  ])('nothing that a command started can print or write after the command has ended: %s', async (_, keep, command) => {
    const { container, stdout, end } = await launched(command, { keep });
    expect(stdout).toContain(`${end}e0 `);
    expect(stdout.endsWith(`${end}z`)).toBe(true);
    await expect(container.getArchive({ path: '/workspace/late' })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('no process that a command started can add to the carried state', async () => {
    // Listing so many variables takes the shell a while.
    const many = 'for n in {100..399}; do export "v$n=1"; done';
    const meddling =
      'mkfifo /tmp/f; exec 7<>/tmp/f; (while :; do read -t 0.001 -u 7; printf "EVIL=1\\0"; done) & sleep 0.1';
    const { stdout, hand } = await launched(`${meddling}; ${many}`);
    const [before = '', handed = ''] = stdout.split(`${hand}h`);
    expect(before).toContain('EVIL=1');
    expect(handed).toContain('v399=1\0');
    expect(handed).not.toContain('EVIL');
  });
});

it('the launcher never measures the workspace while the command runs', async () => {
  const workspaceId = randomUUID();
  await launched('touch {1..20000}', { workspaceId });
  const { stdout, begin } = await launched('cat /proc/[0-9]*/comm; sleep 1', { workspaceId });
  const [before, after] = stdout.split(`${begin}\n`);
  expect([before, after]).toEqual(['', expect.not.stringMatching(/find|awk|timeout/)]);
  expect(after).not.toContain(begin);
});
