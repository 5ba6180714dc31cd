import { AishError } from '@aish/contracts/problems';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedRelease, GitFolder } from './git-release.js';

/** The file that lists who may sign releases, in a version's own folder. Each line is as ssh-keygen describes it. */
const SIGNERS_FILE = 'deploy/release/signers';

/** Git accepts only SSH signatures here. It would check others with the keys of this user's GnuPG. */
const ONLY_SSH = [
  ...['gpg.program', 'gpg.openpgp.program', 'gpg.x509.program'].map((name) => `${name}=false`),
  'gpg.ssh.program=ssh-keygen',
  'gpg.minTrustLevel=fully',
];

/** Returns the path of the signers that a version knows, or null if it knows none. */
export async function signersOf(root: string): Promise<string | null> {
  const file = join(root, SIGNERS_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return /^\s*[^#\s]/m.test(text) ? file : null;
}

/**
 * Checks that one of the signers has signed a release: its tag, or its commit if there is no tag.
 * @throws AishError `release_unsigned`
 */
export async function checkSignature(releases: GitFolder, release: FetchedRelease, signers: string): Promise<void> {
  const isTag = (await releases.git(['cat-file', '-t', release.object])).trim() === 'tag';
  const settings = [...ONLY_SSH, `gpg.ssh.allowedSignersFile=${signers}`].flatMap((setting) => ['-c', setting]);
  try {
    await releases.git([...settings, isTag ? 'verify-tag' : 'verify-commit', release.object]);
  } catch (cause) {
    if (!(cause instanceof AishError)) throw cause;
    // The first line repeats the command.
    const why = cause.message.split('\n').slice(1).join(' ').trim() || 'it has no signature';
    throw new AishError(
      'release_unsigned',
      `The ${isTag ? 'tag' : 'commit'} ${release.object.slice(0, 12)} of ${release.repository} is not signed by anyone in ${signers}: ${why}. Nothing was installed`,
      {},
      { cause },
    );
  }
}
