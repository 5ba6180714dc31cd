import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@aish/contracts/health';
import { verifies } from '../../requirements.js';
import { commandsOf } from '../../support/documented-commands.js';
import { ROOT } from '../../support/service.process.js';

const run = promisify(execFile);
const SHELLS = ['dash', 'busybox sh'];
const FILES = ['aish.mjs', 'aish-server.tar.gz'] as const;
const REFUSED = { code: 1, stderr: expect.stringContaining('Nothing was installed') };

describe.each(SHELLS)('install.sh in %s', (shell) => {
  let dir: string;
  let server: Server;
  let address: string;
  /** The names of files that the server cuts off in the middle. */
  const cut = new Set<string>();

  const keyOf = (name: string) => readFile(join(dir, `${name}.pub`), 'utf8').then((text) => text.trim());
  const sign = async (release: string, name: string): Promise<void> => {
    const file = join(dir, 'releases', release, 'SHA256SUMS');
    const signers = join(dir, `${name}.signers`);
    await writeFile(signers, `me@home ${await keyOf(name)}\n`);
    await signWith(file, join(dir, name), signers);
  };
  /** Signs as npm run release does. */
  const signWith = (file: string, key: string, signers: string) => {
    const code = `(await import(process.argv[1])).sign(...process.argv.slice(2))`;
    const module = `${ROOT}deploy/release/sign.mjs`;
    return run(process.execPath, ['--input-type=module', '-e', code, module, file, key, signers]);
  };
  /** Copies the good release, so that a test can change it. */
  const copyAs = async (name: string): Promise<string> => {
    const folder = join(dir, 'releases', name);
    await cp(join(dir, 'releases/good'), folder, { recursive: true });
    return folder;
  };
  /** Installs into a new folder. */
  const install = async (release: string, place: string, ...args: readonly string[]) => {
    const at = join(dir, place);
    const [program = '', ...own] = shell.split(' ');
    const where = ['--bin', join(at, 'bin'), '--to', join(at, 'server'), ...args];
    const env = { PATH: process.env['PATH'] ?? '', HOME: at };
    return run(program, [...own, `${ROOT}deploy/install.sh`, `${address}/${release}`, ...where], { env }).then(
      (done) => ({ code: 0, ...done }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );
  };
  const answer = async (url: string, response: ServerResponse): Promise<void> => {
    const content = await readFile(join(dir, 'releases', url)).catch(() => null);
    if (content === null) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-length': content.length });
    if (![...cut].some((name) => url.endsWith(name))) return void response.end(content);
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  };
  const installed = (place: string) => readdir(join(dir, place), { recursive: true }).catch(() => []);

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-install-'));
    const good = join(dir, 'releases/good');
    await mkdir(good, { recursive: true });
    for (const name of ['signer', 'other']) {
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)]);
    }
    await run(process.execPath, ['clients/cli/bundle.mjs', join(good, 'aish.mjs')], { cwd: ROOT });
    const archive = ['archive', '--format=tar.gz', '--prefix=aish/', `--output=${join(good, FILES[1])}`, 'HEAD'];
    await run('git', archive, { cwd: ROOT });
    const sums = FILES.map(async (name) => {
      const sum = createHash('sha256').update(await readFile(join(good, name)));
      return `${sum.digest('hex')}  ${name}\n`;
    });
    await writeFile(join(good, 'SHA256SUMS'), (await Promise.all(sums)).join(''));
    await sign('good', 'signer');
    server = createServer((request, response) => void answer(request.url ?? '', response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 120_000);

  afterAll(async () => {
    server?.close();
    await rm(dir, { recursive: true, force: true });
  });

  it(
    verifies('release.install'),
    async () => {
      const { code, stderr, stdout } = await install('good', 'a', '--signer', await keyOf('signer'), '--origin', 'https://git.lan/aish.git'); // prettier-ignore
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('Signed by aish, and every sum is right');
      expect((await run(join(dir, 'a/bin/aish'), ['--version'])).stdout.trim()).toBe(VERSION);
      const git = async (folder: string, ...args: readonly string[]) =>
        (await run('git', ['-C', folder, ...args])).stdout.trim();
      // aish upgrade compares the trees, so it knows that this is the same version.
      const at = join(dir, 'a/server');
      expect(await git(at, 'rev-parse', 'HEAD^{tree}')).toBe(await git(ROOT, 'rev-parse', 'HEAD^{tree}'));
      expect(await git(at, 'status', '--porcelain')).toBe('');
      expect(await git(at, 'remote', 'get-url', 'origin')).toBe('https://git.lan/aish.git');
      expect([await readdir(join(dir, 'a')), await readdir(join(dir, 'a/bin'))]).toEqual([['bin', 'server'], ['aish']]);
    },
    60_000,
  );

  it(
    verifies('release.install', 'anything that is not signed, or has changed, is refused before a file is installed'),
    async () => {
      const key = await keyOf('signer');
      const changed = await copyAs('changed');
      const program = await readFile(join(changed, 'aish.mjs'), 'utf8');
      await writeFile(join(changed, 'aish.mjs'), program.replace(/./, '!'));
      const sums = await copyAs('sums');
      await writeFile(join(sums, 'SHA256SUMS'), (await readFile(join(sums, 'SHA256SUMS'), 'utf8')).replace(/^./, 'x'));
      const unsigned = await copyAs('unsigned');
      await rm(join(unsigned, 'SHA256SUMS.sig'));
      await copyAs('other');
      await sign('other', 'other');
      const shorter = await copyAs('shorter');
      await writeFile(join(shorter, 'SHA256SUMS'), '');
      await sign('shorter', 'signer');
      const faults = {
        changed: 'aish.mjs does not have the sum that is signed',
        sums: 'SHA256SUMS is wrong',
        unsigned: 'SHA256SUMS.sig cannot be downloaded',
        other: 'is not signed by your signer',
        shorter: 'aish.mjs does not have the sum that is signed',
      };
      for (const [release, fault] of Object.entries(faults)) {
        const refused = await install(release, release, '--signer', key);
        expect([release, refused]).toMatchObject([release, REFUSED]);
        expect(refused.stderr).toContain(fault);
        expect(await installed(release)).toEqual([]);
      }
      for (const name of ['SHA256SUMS', 'SHA256SUMS.sig', ...FILES]) {
        cut.add(`/${name}`);
        expect([name, await install('good', 'cut', '--signer', key)]).toMatchObject([name, REFUSED]);
        cut.clear();
        expect(await installed('cut')).toEqual([]);
      }
      // A key that the signers do not name cannot make a release.
      const unknown = signWith(
        join(await copyAs('unknown'), 'SHA256SUMS'),
        join(dir, 'other'),
        join(dir, 'signer.signers'),
      );
      await expect(unknown).rejects.toThrow('so nobody could check its signature');
      // A signature for another purpose does not count.
      const file = join(await copyAs('purpose'), 'SHA256SUMS');
      await rm(`${file}.sig`);
      await run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'file', '-f', join(dir, 'signer'), file]);
      expect(await install('purpose', 'purpose', '--signer', key)).toMatchObject(REFUSED);
      expect(await install('good', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') });
    },
    120_000,
  );

  it(
    verifies('release.install', 'the commands of SECURITY.md check a release by hand'),
    async () => {
      const place = await copyAs('by-hand');
      await writeFile(join(place, 'signers'), `me@home ${await keyOf('signer')}\n`);
      const commands = commandsOf('SECURITY.md');
      expect(commands).toHaveLength(3);
      const check = async () => {
        let who = '';
        for (const command of commands) {
          const { stdout } = await run('sh', ['-c', command.replace('NAME', who)], { cwd: place });
          who ||= stdout.trim();
        }
        return who;
      };
      expect(await check()).toBe('me@home');
      await writeFile(join(place, 'aish.mjs'), 'changed');
      await expect(check()).rejects.toThrow('did NOT match');
      await sign('by-hand', 'other');
      await expect(check()).rejects.toThrow('find-principals');
    },
    60_000,
  );

  it(
    verifies('release.install', 'an existing server is left as it is, and a newer command is not replaced'),
    async () => {
      const signers = join(dir, 'signers');
      await writeFile(signers, `# who may sign\nme@home namespaces="aish-release" ${await keyOf('signer')}\n`);
      await mkdir(join(dir, 'b/server'), { recursive: true });
      expect(await install('good', 'b', '--signer', signers)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('run aish upgrade'),
      });
      expect(await installed('b')).toEqual(['server']);
      const first = await install('good', 'b', '--signer', join(dir, 'signer.pub'), '--cli');
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed by aish') });
      const again = await install('good', 'b', '--signer', signers, '--cli');
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed by me@home') });
      const command = join(dir, 'b/bin/aish');
      await writeFile(command, '#!/bin/sh\necho 9.0.0\n');
      const newer = await install('good', 'b', '--signer', signers, '--cli');
      expect(newer).toMatchObject(REFUSED);
      await writeFile(command, '#!/bin/sh\necho other\n');
      const other = await install('good', 'b', '--signer', signers, '--cli');
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('is not aish') });
      expect(await readFile(command, 'utf8')).toContain('echo other');
      expect(existsSync(`${command}.part`)).toBe(false);
    },
    60_000,
  );
});
