import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GitFolder } from './git-release.js';
import { checkSignature, signersOf } from './release-signature.js';

const run = promisify(execFile);

describe('the signature of a release', () => {
  let dir: string;
  let repository: string;
  let folder: GitFolder;
  let signers: string;

  const git = (...args: readonly string[]) => run('git', ['-C', repository, ...args]);
  const as = (name: string) => ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${join(dir, name)}`];
  const commit = async (version: string, ...settings: readonly string[]): Promise<void> => {
    await writeFile(join(repository, 'package.json'), JSON.stringify({ name: 'aish', version }));
    await git('add', '.');
    const signed = settings.length === 0 ? [] : ['--gpg-sign'];
    await git(...settings, 'commit', '--quiet', '-m', version, ...signed);
  };
  const check = async (ref: string): Promise<void> =>
    checkSignature(folder, await folder.fetchRelease(`${repository}#${ref}`), signers);

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-signed-'));
    repository = join(dir, 'repository');
    await mkdir(repository);
    await git('init', '--quiet');
    await git('config', 'user.name', 't');
    await git('config', 'user.email', 't@t');
    for (const name of ['known', 'other'])
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)]);
    signers = join(dir, 'signers');
    await writeFile(signers, `aish ${await readFile(join(dir, 'known.pub'), 'utf8')}`);
    folder = new GitFolder(join(dir, 'fetched'), new AbortController().signal);
    await run('git', ['init', '--quiet', '--bare', folder.path]);
  }, 60_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('a signature of a known signer is accepted, on a commit and on a tag', async () => {
    await commit('1.0.0', ...as('known'));
    await expect(check('HEAD')).resolves.toBeUndefined();
    await commit('1.1.0');
    await git(...as('known'), 'tag', '--sign', '-m', 'v1.1.0', 'v1.1.0');
    await expect(check('v1.1.0')).resolves.toBeUndefined();
  });

  it('a release that an unknown signer or nobody has signed is refused', async () => {
    await commit('1.2.0', ...as('other'));
    await git(...as('other'), 'tag', '--sign', '-m', 'v1.2.0', 'v1.2.0');
    for (const ref of ['HEAD', 'v1.2.0']) {
      await expect(check(ref)).rejects.toMatchObject({
        code: 'release_unsigned',
        message: expect.stringMatching(/No principal matched/),
      });
    }
    await commit('1.3.0');
    await git('tag', '--annotate', '-m', 'v1.3.0', 'v1.3.0');
    for (const ref of ['HEAD', 'v1.3.0']) {
      await expect(check(ref)).rejects.toMatchObject({
        code: 'release_unsigned',
        message: expect.stringMatching(/no signature/),
      });
    }
  });

  it('a signature that only GnuPG could check is refused', async () => {
    await commit('1.4.0', ...as('known'));
    const { stdout } = await git('cat-file', 'commit', 'HEAD');
    const changed = join(dir, 'changed');
    await writeFile(changed, stdout.replaceAll('SSH SIGNATURE', 'PGP SIGNATURE'));
    const object = (await git('hash-object', '-t', 'commit', '-w', changed)).stdout.trim();
    await git('tag', 'pgp', object);
    await expect(check('pgp')).rejects.toMatchObject({ code: 'release_unsigned' });
  });

  it('a tag that was changed after it was signed is refused', async () => {
    const { stdout } = await git('cat-file', 'tag', 'v1.1.0');
    const changed = join(dir, 'changed');
    const head = (await git('rev-parse', 'HEAD')).stdout.trim();
    await writeFile(changed, stdout.replace(/^object .*/, `object ${head}`));
    const object = (await git('hash-object', '-t', 'tag', '-w', changed)).stdout.trim();
    await git('update-ref', 'refs/tags/moved', object);
    await expect(check('moved')).rejects.toMatchObject({ code: 'release_unsigned' });
  });

  it('signersOf returns null if the file of signers is missing or has only comments', async () => {
    expect(await signersOf(dir)).toBeNull();
    const file = join(dir, 'deploy/release/signers');
    await mkdir(join(dir, 'deploy/release'), { recursive: true });
    await writeFile(file, '# nobody\n\n');
    expect(await signersOf(dir)).toBeNull();
    await writeFile(file, '# one\naish ssh-ed25519 AAAA\n');
    expect(await signersOf(dir)).toBe(file);
  });
});
