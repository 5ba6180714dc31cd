import { join } from 'node:path';
import type { KnowledgePushResult } from '@aish/contracts/knowledge-upkeep';
import { isAishError } from '@aish/contracts/problems';
import { withFileLock } from '../git/file-lock.js';
import { git, gitText, withoutSecrets } from '../git/git.js';
import { fetchToStagingRef } from './follow-remote.js';
import type { Held, Repository } from './repository.js';
import { NO_REMOTE_STATE } from './state-file.js';

const PUSH_TIMEOUT_MS = 120_000;
/**
 * How long a push waits for the previous one, in milliseconds. A person wants to see the result, and a timer comes
 * again.
 */
const WAIT_MS = { person: 30_000, timer: 100 };
/** The ref for the remote's commit that caused a rejection. */
const REJECTED_BY = 'refs/aish/rejected-by';

export interface PushOptions {
  /** Whether to push even after a rejection, because a person has looked at it. */
  readonly again: boolean;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Records the result while it holds the lock of the repository. */
  readonly locked: <T>(fn: (held: Held) => Promise<T>) => Promise<T>;
}

interface PushFailure {
  readonly kind: 'unreachable' | 'rejected' | 'failed';
  readonly detail: string;
}

/**
 * Pushes if the branch is ahead of the remote. It never forces, and never repeats a rejected push by itself. After a
 * rejection it fetches, records how the two have diverged, and waits until either side has moved. A failure is only
 * recorded.
 *
 * The push does not hold the lock of the repository while it uses the network, so a hanging remote blocks no writer. It
 * sends one commit, even if the branch moves on. Only one push runs at a time.
 */
export async function pushBranch(repository: Repository, options: PushOptions): Promise<KnowledgePushResult> {
  const { again, signal, env } = options;
  let hasBegun = false;
  const push = (): Promise<KnowledgePushResult> => {
    hasBegun = true;
    return pushAlone(repository, options);
  };
  try {
    const waitMs = again ? WAIT_MS.person : WAIT_MS.timer;
    return await withFileLock(join(repository.stateDir, 'push-lock'), push, { waitMs, signal, env });
  } catch (error) {
    if (hasBegun || !isAishError(error, 'locked')) throw error;
    const ahead = (await repository.apart({ signal }))?.ahead ?? null;
    return { outcome: 'waiting', detail: 'another push is running', ahead };
  }
}

async function pushAlone(repository: Repository, { again, signal, locked }: PushOptions): Promise<KnowledgePushResult> {
  const head = await repository.head({ signal });
  const url = await repository.remoteUrl({ signal });
  if (head === null || url === null) return { outcome: 'no-remote', detail: 'there is no remote', ahead: null };
  const { pushFailure } = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
  const remoteHead = await repository.remoteHead({ signal });
  if (remoteHead === head && pushFailure === null) return { outcome: 'nothing', detail: 'nothing to push', ahead: 0 };
  const isSameRejection = pushFailure?.kind === 'rejected' && pushFailure.remoteCommit === remoteHead && !again;
  if (isSameRejection) {
    const apart = await repository.apart({ signal });
    if (apart === null || apart.behind > 0) {
      const detail = `rejected on ${pushFailure.at}; merge by hand first`;
      return { outcome: 'waiting', detail, ahead: apart?.ahead ?? null };
    }
  }
  const failure = await tryPush(repository, `${head}:refs/heads/${repository.branch}`, signal);
  if (failure?.kind === 'rejected') await fetchToStagingRef(repository, REJECTED_BY, signal);
  return locked((held) =>
    failure === null ? notePushed(repository, head, held) : noteFailure(repository, head, failure, held),
  );
}

async function notePushed(repository: Repository, head: string, held: Held): Promise<KnowledgePushResult> {
  const remoteHead = await repository.remoteHead(held);
  // During the push, a writer may have fetched commits that others made on top of this commit.
  if (remoteHead === null || (await repository.isAncestor(remoteHead, head, held))) {
    await gitText(['update-ref', `refs/remotes/origin/${repository.branch}`, head], repository.git(held));
  }
  const latest = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
  const pushedAt = new Date().toISOString();
  await repository.remoteState.write({ ...latest, pushedAt, pushFailure: null, fetchFailure: null, silent: null });
  const ahead = (await repository.apart(held))?.ahead ?? null;
  return { outcome: 'pushed', detail: `pushed ${head.slice(0, 10)}`, ahead };
}

async function noteFailure(
  repository: Repository,
  head: string,
  failure: PushFailure,
  held: Held,
): Promise<KnowledgePushResult> {
  const rejectedBy = await repository.commitOf(REJECTED_BY, held);
  if (rejectedBy !== null) {
    await gitText(['update-ref', `refs/remotes/origin/${repository.branch}`, rejectedBy], repository.git(held));
    await gitText(['update-ref', '-d', REJECTED_BY], repository.git(held));
  }
  const latest = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
  const remoteCommit = await repository.remoteHead(held);
  const at = new Date().toISOString();
  await repository.remoteState.write({ ...latest, pushFailure: { ...failure, at, commit: head, remoteCommit } });
  return { outcome: failure.kind, detail: failure.detail, ahead: (await repository.apart(held))?.ahead ?? null };
}

async function tryPush(repository: Repository, refspec: string, signal: AbortSignal): Promise<PushFailure | null> {
  try {
    const options = repository.git({ signal }, { timeoutMs: PUSH_TIMEOUT_MS, ownGroup: true });
    const answer = await git(['push', '--porcelain', 'origin', refspec], options);
    if (answer.code === 0) return null;
    // Porcelain output has one line per ref, and `!` marks a rejected one. Without any line, the remote was not
    // reached.
    const refused = answer.stdout
      .toString('utf8')
      .split('\n')
      .find((line) => line.startsWith('!'));
    const words = withoutSecrets(
      answer.stderr
        .trim()
        .split('\n')
        .find((line) => line !== '') ?? '',
    ).slice(0, 300);
    if (refused === undefined) return { kind: 'unreachable', detail: words || 'the remote does not respond' };
    const why = refused.split('\t').at(-1) ?? refused;
    const kind = /remote rejected/.test(why) ? 'failed' : 'rejected';
    return { kind, detail: withoutSecrets(why).slice(0, 300) };
  } catch (error) {
    if (!isAishError(error, 'knowledge_git')) throw error;
    return { kind: 'unreachable', detail: error.message };
  }
}
