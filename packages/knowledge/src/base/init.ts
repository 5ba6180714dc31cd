import { mkdir, readdir } from 'node:fs/promises';
import type { KnowledgeInit } from '@aish/contracts/knowledge-upkeep';
import { AishError } from '@aish/contracts/problems';
import { git, gitText, withoutSecrets } from '../git/git.js';
import { renderIndex } from '../index-file/index-file.js';
import { CONTRACT_FILE, INDEX_FILE } from '../node/node.js';
import { AGENT_CONTRACT, GITIGNORE, README } from './agent-contract.js';
import type { Checkout } from './checkout.js';
import { fetchRemote } from './follow-remote.js';
import type { Held, Repository } from './repository.js';
import { readTreeFile } from './work-tree.js';
import type { Writer } from './writer.js';

/** Settings that keep git fast with 100 000 files, and keep file contents unchanged. */
const SETTINGS = {
  'core.untrackedCache': 'true',
  'core.splitIndex': 'true',
  // Each file outside the shared part slows down reading. Unused shared parts can be removed.
  'splitIndex.maxPercentChange': '1',
  'splitIndex.sharedIndexExpire': '1.hour.ago',
  'index.version': '4',
  'core.autocrlf': 'false',
  'feature.manyFiles': 'false',
} as const;

const CLONE_TIMEOUT_MS = 600_000;

/**
 * Creates the repository, clones an existing remote, or adopts an existing folder. A second call changes nothing. Files
 * that aish needs are added in a separate commit. Existing files are not changed.
 */
export async function initBase(
  checkout: Checkout,
  writer: Writer,
  input: { readonly remote: string | null; readonly now: Date },
  signal?: AbortSignal,
): Promise<KnowledgeInit> {
  const { repository } = checkout;
  const notes: string[] = [];
  await mkdir(repository.dir, { recursive: true, mode: 0o700 });
  const existed = await repository.exists();
  if (!existed) {
    const entries = await readdir(repository.dir);
    if (entries.length > 0) {
      throw new AishError(
        'knowledge_invalid',
        `${repository.dir} is not empty and not a git repository. Run git init there first, or choose another folder`,
      );
    }
    await gitText(
      ['init', '--quiet', `--initial-branch=${repository.branch}`, '.'],
      repository.git(signal === undefined ? {} : { signal }),
    );
  }
  await mkdir(repository.stateDir, { recursive: true });
  return writer.locked(async (held) => {
    for (const [name, value] of Object.entries(SETTINGS)) {
      const now = (await git(['config', '--get', name], repository.git(held))).stdout.toString('utf8').trim();
      if (now !== value) await gitText(['config', name, value], repository.git(held));
    }
    const isNewRemote = await setRemote(repository, input.remote, held);
    const cloned = (await repository.head(held)) === null && (await takeOver(repository, notes, held));
    const before = await repository.head(held);
    if (before !== null) await repository.mustBeClean(held);
    const commit = await addMissing(checkout, before, input.now, held);
    const changed = commit !== before || isNewRemote;
    const outcome = cloned ? 'cloned' : before === null ? 'made' : changed ? 'adopted' : 'unchanged';
    return { dir: repository.dir, outcome, branch: repository.branch, commit, notes };
  }, signal);
}

async function setRemote(repository: Repository, remote: string | null, held: Held): Promise<boolean> {
  const current = await repository.remoteUrl(held);
  if (remote === null || current === remote) return false;
  if (current !== null) {
    const known = withoutSecrets(current);
    throw new AishError(
      'knowledge_invalid',
      `The repository already has another remote, ${known}. If it has moved, change it with git`,
    );
  }
  if (remote.startsWith('-')) throw new AishError('invalid_body', 'The URL of a remote cannot begin with a dash');
  await gitText(['remote', 'add', 'origin', remote], repository.git(held));
  return true;
}

/**
 * Adopts the remote's content.
 *
 * @returns whether the remote had any.
 */
async function takeOver(repository: Repository, notes: string[], held: Held): Promise<boolean> {
  if ((await repository.remoteUrl(held)) === null) return false;
  const unreached = await fetchRemote(repository, held, { fetchMs: CLONE_TIMEOUT_MS });
  if (unreached !== null) {
    notes.push(unreached);
    return false;
  }
  const remote = await repository.remoteHead(held);
  if (remote === null) return false;
  await gitText(['reset', '--hard', '--quiet', remote], repository.git(held, { timeoutMs: CLONE_TIMEOUT_MS }));
  return true;
}

async function addMissing(checkout: Checkout, head: string | null, now: Date, held: Held): Promise<string> {
  const { repository } = checkout;
  const files: readonly (readonly [string, string])[] = [
    [CONTRACT_FILE, AGENT_CONTRACT],
    ['README.org', README],
    ['.gitignore', GITIGNORE],
    [INDEX_FILE, renderIndex([], null).get(INDEX_FILE) ?? ''],
  ];
  const changes = new Map<string, Buffer>();
  for (const [path, text] of files) {
    if ((await readTreeFile(repository.dir, path)) === null) changes.set(path, Buffer.from(text));
  }
  if (changes.size === 0 && head !== null) return head;
  const message = head === null ? 'knowledge base\n' : 'knowledge base: what aish needs\n';
  const commit = await checkout.commit({ parent: head, changes, message, author: 'aish', now }, held);
  // A new base is valid. For an adopted base, the first write checks everything.
  if (head === null) await repository.verified.write({ commit });
  return commit;
}
