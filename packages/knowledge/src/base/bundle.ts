import { AishError } from '@aish/contracts/problems';
import { listPaths } from '../git/git-objects.js';
import { gitText } from '../git/git.js';
import { isNodePath, isRawPath } from '../node/node.js';
import type { Checkout } from './checkout.js';
import type { Repository } from './repository.js';
import type { Writer } from './writer.js';

const TIMEOUT_MS = 600_000;
const RESTORED = 'refs/aish/restored';

/**
 * Writes the whole repository with its history into one file.
 *
 * @returns false if there is nothing to write.
 */
export async function bundleBase(repository: Repository, file: string, signal: AbortSignal): Promise<boolean> {
  if (!(await repository.exists()) || (await repository.head({ signal })) === null) return false;
  const options = repository.git({ signal }, { timeoutMs: TIMEOUT_MS });
  await gitText(['bundle', 'create', '--quiet', file, repository.branch], options);
  return true;
}

/**
 * Replaces a repository without nodes by the history of a bundle.
 *
 * @throws AishError `not_empty` if it has nodes; `knowledge_git` for a file that is not a bundle.
 */
export async function restoreBundle(
  checkout: Checkout,
  writer: Writer,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const { repository } = checkout;
  await writer.locked(async (held) => {
    await repository.mustBeClean(held);
    const before = await repository.head(held);
    const paths = before === null ? [] : await listPaths(before, repository.git(held));
    if (paths.some((path) => isNodePath(path) || isRawPath(path))) {
      throw new AishError(
        'not_empty',
        'A backup can be restored only into an empty aish, but this one has a knowledge base',
      );
    }
    const options = repository.git(held, { timeoutMs: TIMEOUT_MS });
    await gitText(['fetch', '--quiet', '--no-tags', file, `+refs/heads/${repository.branch}:${RESTORED}`], options);
    const commit = (await gitText(['rev-parse', RESTORED], options)).trim();
    await checkout.move(before, commit, 'restored from a backup', held);
    await gitText(['update-ref', '-d', RESTORED], options);
  }, signal);
}
