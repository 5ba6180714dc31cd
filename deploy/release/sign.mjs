// Signs the list of sums of a release with OpenSSH, and checks the signature as a server does.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A signature for this purpose is not valid for another one, such as a commit. */
const NAMESPACE = 'aish-release';

/**
 * Writes `SUMS.sig`. Returns the name of the signer in the file of signers.
 * @param key the file of a private key, or of the public key of one that an agent holds
 * @throws Error if the key cannot sign, or the file of signers does not name it, because nobody could check it then
 */
export function sign(sums, key, signers) {
  const signature = `${sums}.sig`;
  // ssh-keygen would keep an older signature, and exit with 0.
  rmSync(signature, { force: true });
  keygen(['-q', '-Y', 'sign', '-n', NAMESPACE, '-f', key, sums]);
  const [who] = keygen(['-Y', 'find-principals', '-f', signers, '-s', signature], [0, 255]).split('\n');
  if (who === '') throw new Error(`${key} is not in ${signers}, so nobody could check its signature`);
  keygen(['-Y', 'verify', '-n', NAMESPACE, '-f', signers, '-I', who, '-s', signature], [0], readFileSync(sums));
  return who;
}

function keygen(args, expected = [0], input = undefined) {
  const { status, stdout, stderr, error } = spawnSync('ssh-keygen', args, { input, encoding: 'utf8' });
  if (expected.includes(status)) return stdout;
  throw new Error(`ssh-keygen ${args.join(' ')} failed: ${stderr || error?.message}`);
}
