import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { creatingCommand, freeCommand } from './only-creates.js';

const run = promisify(execFile);

describe.each([
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['BusyBox sh', ['busybox', 'sh']],
] as const)('files that a command creates on a host whose login shell is %s', (_, [shell, ...before]) => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "aish-new-it's "));
    await writeFile(join(dir, 'there'), 'old');
    await mkdir(join(dir, 'empty'));
    await mkdir(join(dir, 'full/deep'), { recursive: true });
    await symlink('nowhere', join(dir, 'dangling'));
    await symlink('empty', join(dir, 'elsewhere'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const onHost = (command: string) =>
    run(shell, [...before, '-c', command], { cwd: dir, env: { PATH: process.env['PATH'], HOME: dir } }).then(
      ({ stdout }) => stdout,
      (error: { code: number; stdout: string; stderr: string }) => `${error.code} ${error.stdout}${error.stderr}`,
    );

  it.each([
    ['new', true], ['~/new', true], ['a/b/new', true], ['empty/new', true], ['empty/', true], ['new/', true],
    ['there', false], ['~/there', false], ['there/x', false], ['dangling', false], ['dangling/', false], ['elsewhere/new', false], ['elsewhere/', false],
    ['full/', false], ['full/deep', false], ['empty', false],
  ])('freeCommand reports whether %s is free: %s', async (path, isFree) => {
    const result = await onHost(freeCommand([path]));
    expect(result.trim() === 'nothing there').toBe(isFree);
    expect(await onHost(freeCommand(['new', path]))).toBe(result);
  }); // prettier-ignore

  it('a command that only creates files runs with its input, and returns its own exit code', async () => {
    expect(await onHost(`echo hello | { ${creatingCommand('cat > new; cat new; exit 3', ['new'])}; }`)).toBe(
      '3 hello\n',
    );
  });

  it('the command does not run if one of its new paths exists by then', async () => {
    const result = await onHost(creatingCommand('echo ran; echo x > new; echo x > there', ['new', 'there']));
    expect(result).toBe('126 aish: there is something at there now; nothing ran\n');
    expect(await readFile(join(dir, 'there'), 'utf8')).toBe('old');
  });

  it('a file that appears after the check is not overwritten', async () => {
    // Another program creates the file while the command runs.
    const result = await onHost(creatingCommand('printf old | sh -c "cat > late"; echo x > late', ['late']));
    expect(result).not.toBe('');
    expect(await readFile(join(dir, 'late'), 'utf8')).toBe('old');
    await onHost('echo x > late');
    expect(await readFile(join(dir, 'late'), 'utf8')).toBe('x\n');
  });
});
