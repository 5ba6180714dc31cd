import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkedCommand, lookCommand, seenFiles } from './script-check.js';

const run = promisify(execFile);
const SCRIPT = "#!/bin/sh\necho '| end' missing\n";

describe.each([
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['BusyBox sh', ['busybox', 'sh']],
] as const)('scripts on a host whose login shell is %s', (_, [shell, ...before]) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "aish-script-it's "));
    await writeFile(join(dir, 'update.sh'), SCRIPT, { mode: 0o755 });
    await writeFile(join(dir, 'big.bin'), Buffer.alloc(20_000, 7));
    await symlink('nowhere', join(dir, 'dangling'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const onHost = async (command: string) =>
    (await run(shell, [...before, '-c', command], { cwd: dir, env: { PATH: process.env['PATH'], HOME: dir } })).stdout;
  const look = async (...paths: readonly string[]) => seenFiles(paths, await onHost(lookCommand(paths)));
  const approved = async (...paths: readonly string[]) =>
    (await look(...paths)).map((file) => ({ ...file, host: 'nas', finding: null }));

  it('scripts on a host are read with their text and the hash of exactly that text', async () => {
    const content = createHash('sha256').update(SCRIPT).digest('hex');
    const [own, home, big, gone, dangling, folder] = await look(
      'update.sh', '~/update.sh', join(dir, 'big.bin'), './gone.sh', 'dangling', dir); // prettier-ignore
    expect(own).toEqual({ path: 'update.sh', content, bytes: SCRIPT.length, head: SCRIPT });
    expect(home).toMatchObject({ content, head: SCRIPT });
    expect(big).toMatchObject({ bytes: 20_000, head: '\u0007'.repeat(8_192) });
    expect(big?.content).toBe(createHash('sha256').update(Buffer.alloc(20_000, 7)).digest('hex'));
    expect(gone).toMatchObject({ content: 'missing' });
    expect([dangling, folder]).toMatchObject([{ content: null }, { content: null }]);
  });

  it('scripts count as unread if the output of the check is incomplete', () => {
    expect(seenFiles(['a', 'b'], 'missing\nend\n')).toMatchObject([{ content: null }, { content: null }]);
  });

  it('unchanged scripts on a host run as approved, with the input of the command', async () => {
    const command = checkedCommand(
      'cd / && sh "$OLDPWD/update.sh"; echo after',
      await approved('update.sh', 'gone.sh'),
    );
    expect(await onHost(command)).toBe('| end missing\nafter\n');
  });

  it.each([
    ['a script that was rewritten', 'echo evil > update.sh'],
    ['a script behind a new link', 'rm update.sh; ln -s big.bin update.sh'],
    ['a script that is gone', 'rm update.sh'],
    ['a script that was not there', 'echo evil > gone.sh'],
  ])('%s on the host stops the whole line before it begins', async (_name, change) => {
    await rm(join(dir, 'gone.sh'), { force: true });
    await rm(join(dir, 'update.sh'), { force: true });
    await writeFile(join(dir, 'update.sh'), SCRIPT, { mode: 0o755 });
    const files = await approved('update.sh', 'gone.sh');
    await onHost(change);
    await expect(onHost(checkedCommand('cd /nowhere || true; echo ran', files))).rejects.toMatchObject({
      code: 126,
      stdout: '',
      stderr: expect.stringContaining('is not what a person approved; nothing ran'),
    });
  });
});
