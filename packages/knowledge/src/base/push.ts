import type { KnowledgePushResult } from '@aish/contracts/knowledge-upkeep';
import { isAishError } from '@aish/contracts/problems';
import { git, gitText, withoutSecrets } from '../git/git.js';
import { fetchRemote } from './follow-remote.js';
import type { Held, Repository } from './repository.js';
import { NO_REMOTE_STATE } from './state-file.js';

const PUSH_TIMEOUT_MS = 120_000;

/**
 * Pushes when the branch is ahead. Never forces, and never tries a rejected push again by itself: after one it fetches,
 * notes how the two have parted, and waits until either side has moved. A failure harms nothing but is written down.
 */
export async function pushBranch(
  repository: Repository,
  held: Held,
  options: { readonly again: boolean },
): Promise<KnowledgePushResult> {
  const head = await repository.head(held);
  const url = await repository.remoteUrl(held);
  if (head === null || url === null) return { outcome: 'no-remote', detail: 'there is no remote', ahead: null };
  const state = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
  const remoteHead = await repository.remoteHead(held);
  if (remoteHead === head && state.pushFailure === null)
    return { outcome: 'nothing', detail: 'nothing to push', ahead: 0 };
  const { pushFailure } = state;
  const isSameRejection = pushFailure?.kind === 'rejected' && pushFailure.remoteCommit === remoteHead && !options.again;
  if (isSameRejection && (await stillParted(repository, held))) {
    const ahead = (await repository.apart(held))?.ahead ?? null;
    return { outcome: 'waiting', detail: `rejected on ${pushFailure.at}; merge by hand first`, ahead };
  }
  const refspec = `${head}:refs/heads/${repository.branch}`;
  const failure = await tryPush(repository, refspec, held);
  const at = new Date().toISOString();
  if (failure === null) {
    await gitText(['update-ref', `refs/remotes/origin/${repository.branch}`, head], repository.git(held));
    const latest = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
    await repository.remoteState.write({
      ...latest,
      pushedAt: at,
      pushFailure: null,
      fetchFailure: null,
      silent: null,
    });
    return { outcome: 'pushed', detail: `pushed ${head.slice(0, 10)}`, ahead: 0 };
  }
  if (failure.kind === 'rejected') await fetchRemote(repository, held);
  const latest = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
  const remoteCommit = await repository.remoteHead(held);
  await repository.remoteState.write({ ...latest, pushFailure: { ...failure, at, commit: head, remoteCommit } });
  return { outcome: failure.kind, detail: failure.detail, ahead: (await repository.apart(held))?.ahead ?? null };
}

async function stillParted(repository: Repository, held: Held): Promise<boolean> {
  const apart = await repository.apart(held);
  return apart === null || apart.behind > 0;
}

interface PushFailure {
  readonly kind: 'unreachable' | 'rejected' | 'failed';
  readonly detail: string;
}

async function tryPush(repository: Repository, refspec: string, held: Held): Promise<PushFailure | null> {
  try {
    const options = repository.git({ signal: held.signal }, { timeoutMs: PUSH_TIMEOUT_MS });
    const answer = await git(['push', '--porcelain', 'origin', refspec], options);
    if (answer.code === 0) return null;
    // Porcelain: a line for each ref; `!` is one that the remote did not take. Without any it was not reached.
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
    if (refused === undefined) return { kind: 'unreachable', detail: words || 'the remote does not answer' };
    const why = refused.split('\t').at(-1) ?? refused;
    const kind = /remote rejected/.test(why) ? 'failed' : 'rejected';
    return { kind, detail: withoutSecrets(why).slice(0, 300) };
  } catch (error) {
    if (!isAishError(error, 'knowledge_git')) throw error;
    return { kind: 'unreachable', detail: error.message };
  }
}
