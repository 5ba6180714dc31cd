import { AishError } from '@aish/contracts';
import { askRemote } from '../git/ask-remote.js';
import type { Checkout } from './checkout.js';
import type { Held, Repository } from './repository.js';
import { NO_REMOTE_STATE } from './state-file.js';

const FETCH_TIMEOUT_MS = 8_000;

/** Brings what others have pushed, and makes the branch follow it. */
export class RemoteFollower {
  /** This commit of ours has all that this commit of the remote has: asking costs a process. */
  private contained: { readonly head: string; readonly remote: string } | null = null;

  constructor(private readonly checkout: Checkout) {}

  /**
   * Fetches, and follows the remote where that needs no merge. Needs the lock of the repository.
   * @returns a word for the writer when the remote could not be asked: writing goes on without it.
   * @throws AishError `knowledge_diverged` when both sides have commits that the other has not.
   */
  async follow(held: Held): Promise<string | null> {
    const { repository } = this.checkout;
    const unreached = await fetchRemote(repository, held);
    const [head, remote] = [await repository.head(held), await repository.remoteHead(held)];
    if (head === null || remote === null) return unreached;
    if (this.contained?.head === head && this.contained.remote === remote) return unreached;
    const apart = await repository.apart(held);
    if (apart === null || apart.behind === 0) {
      this.contained = { head, remote };
      return unreached;
    }
    if (apart.ahead > 0) {
      throw new AishError(
        'knowledge_diverged',
        `Here ${apart.ahead} commits the remote has not, there ${apart.behind} that are not here; merge or rebase them by hand`,
        apart,
      );
    }
    await this.checkout.move(head, remote, 'aish: follow the remote', held);
    this.contained = { head: remote, remote };
    return unreached;
  }

  /** The branch has gone from one commit to another of ours that descends from it. */
  grown(from: string, to: string): void {
    if (this.contained?.head === from) this.contained = { head: to, remote: this.contained.remote };
  }
}

/** Fetches. Needs the lock of the repository. @returns null when the remote answered or there is none, else why not. */
export async function fetchRemote(
  repository: Repository,
  held: Held,
  timeoutMs = FETCH_TIMEOUT_MS,
): Promise<string | null> {
  if ((await repository.remoteUrl(held)) === null) return null;
  const { remoteState } = repository;
  const state = (await remoteState.read()) ?? NO_REMOTE_STATE;
  const at = new Date().toISOString();
  const failure = await fetchMoved(repository, held, timeoutMs);
  if (failure === null) {
    if (state.fetchFailure !== null) await remoteState.write({ ...state, fetchFailure: null });
    return null;
  }
  await remoteState.write({ ...state, fetchFailure: { detail: failure, at } });
  return `The remote was not reached (${failure}); the commit stays here until it is`;
}

/** Asks where the remote's branch is, which is cheap, and fetches only when it has moved. @returns what went wrong. */
async function fetchMoved(repository: Repository, held: Held, timeoutMs: number): Promise<string | null> {
  const ref = `refs/heads/${repository.branch}`;
  // Without the lock's descriptor: helpers that git leaves behind must not hold it.
  const asking = repository.git({ signal: held.signal }, { timeoutMs: Math.min(timeoutMs, FETCH_TIMEOUT_MS) });
  const asked = await askRemote(['ls-remote', 'origin', ref], asking);
  if (asked.failure !== null) return asked.failure;
  const theirs = asked.text.split(/\s/)[0] ?? '';
  // A remote without this branch is empty: there is nothing to follow.
  if (theirs === '' || theirs === (await repository.remoteHead(held))) return null;
  const refspec = `+${ref}:refs/remotes/origin/${repository.branch}`;
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  return (await askRemote(['fetch', ...quiet, 'origin', refspec], { ...asking, timeoutMs })).failure;
}
