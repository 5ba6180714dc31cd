import { AishError, isAishError } from '@aish/contracts/problems';
import { git, withoutSecrets, type GitOptions } from '../git/git.js';
import type { Checkout } from './checkout.js';
import type { Held, Repository } from './repository.js';
import { NO_REMOTE_STATE, type RemoteState } from './state-file.js';

const FETCH_TIMEOUT_MS = 8_000;
/**
 * A writer waits for this multiple of the time that the last answer took, and at least for the second value in
 * milliseconds.
 */
const PATIENCE_FACTOR = 4;
const PATIENCE_MIN_MS = 1_000;
/** A failure that took less time than this has not delayed anybody. */
const DELAY_MS = 500;
/** How long the remote is not contacted after a delay. The time doubles with each further delay. */
const SILENT_MS = 60_000;
const SILENT_MAX_MS = 900_000;

/** Fetches the commits that others have pushed, and moves the branch to them. */
export class RemoteFollower {
  /** The newest local commit that is known to contain this commit of the remote. The cache saves a process. */
  private contained: { readonly head: string; readonly remote: string } | null = null;

  constructor(
    private readonly checkout: Checkout,
    private readonly now: () => Date,
  ) {}

  /**
   * Fetches, and follows the remote if that needs no merge. The caller must hold the lock of the repository.
   *
   * @returns a warning for the writer if the remote did not answer. Writing continues without it.
   * @throws AishError `knowledge_diverged` if both sides have commits that the other lacks.
   */
  async follow(held: Held): Promise<string | null> {
    const { repository } = this.checkout;
    const unreached = await this.ask(held);
    const [head, remote] = [await repository.head(held), await repository.remoteHead(held)];
    if (head === null || remote === null) return unreached;
    if (this.contained?.head === head && this.contained.remote === remote) return unreached;
    const apart = await repository.between(head, remote, held);
    if (apart.behind === 0) {
      this.contained = { head, remote };
      return unreached;
    }
    if (apart.ahead > 0) {
      throw new AishError(
        'knowledge_diverged',
        `The branches have diverged: ${apart.ahead} commits are only here, ${apart.behind} only on the remote. Merge or rebase them by hand`,
        apart,
      );
    }
    await this.checkout.move(head, remote, 'aish: follow the remote', held);
    this.contained = { head: remote, remote };
    return unreached;
  }

  /**
   * Fetches, unless the remote recently kept writers waiting.
   *
   * @returns the reason if it did not fetch.
   */
  private async ask(held: Held): Promise<string | null> {
    const { repository } = this.checkout;
    const { silent, answerMs } = (await repository.remoteState.read()) ?? NO_REMOTE_STATE;
    if (silent !== null && this.now() < new Date(silent.until) && (await repository.remoteUrl(held)) !== null) {
      return `The remote did not respond; aish tries again after ${silent.until}. Until then, the commit stays here`;
    }
    const usual = Math.max(PATIENCE_MIN_MS, PATIENCE_FACTOR * (answerMs ?? PATIENCE_MIN_MS));
    const askMs = Math.min(FETCH_TIMEOUT_MS, usual * 2 ** (silent?.times ?? 0));
    return fetchRemote(repository, held, { askMs, now: this.now });
  }

  /** Notes that the branch has moved to a later local commit. */
  grown(from: string, to: string): void {
    if (this.contained?.head === from) this.contained = { head: to, remote: this.contained.remote };
  }
}

interface FetchOptions {
  /** The timeout for asking whether the remote's branch has moved. */
  readonly askMs?: number;
  readonly fetchMs?: number;
  readonly now?: () => Date;
}

/**
 * Fetches. The caller must hold the lock of the repository.
 *
 * @returns null if the remote answered or there is none, otherwise the error.
 */
export async function fetchRemote(
  repository: Repository,
  held: Held,
  { askMs = FETCH_TIMEOUT_MS, fetchMs = FETCH_TIMEOUT_MS, now = () => new Date() }: FetchOptions = {},
): Promise<string | null> {
  if ((await repository.remoteUrl(held)) === null) return null;
  const { remoteState } = repository;
  const state = (await remoteState.read()) ?? NO_REMOTE_STATE;
  const started = performance.now();
  const asked = await askMoved(repository, held, askMs);
  const tookMs = Math.round(performance.now() - started);
  const tracking = `refs/remotes/origin/${repository.branch}`;
  const failure =
    asked.failure ??
    (asked.hasMoved ? await fetchTo(repository, tracking, { signal: held.signal, timeoutMs: fetchMs }) : null);
  if (failure === null) {
    const { answerMs } = state;
    const isNews = answerMs === null || tookMs > answerMs * 2 || tookMs < answerMs / 2;
    if (isNews || state.fetchFailure !== null || state.silent !== null) {
      await remoteState.write({ ...state, fetchFailure: null, silent: null, answerMs: isNews ? tookMs : answerMs });
    }
    return null;
  }
  const isSilent = asked.failure !== null && tookMs > DELAY_MS;
  const silent = isSilent ? longer(state.silent?.times ?? 0, now()) : state.silent;
  await remoteState.write({ ...state, fetchFailure: { detail: failure, at: now().toISOString() }, silent });
  return `The remote could not be reached (${failure}); the commit stays here until then`;
}

function longer(times: number, now: Date): NonNullable<RemoteState['silent']> {
  const until = new Date(now.getTime() + Math.min(SILENT_MAX_MS, SILENT_MS * 2 ** times));
  return { times: times + 1, until: until.toISOString() };
}

/** Asks for the position of the remote's branch, which is cheap. The branch is fetched only if it has moved. */
async function askMoved(
  repository: Repository,
  held: Held,
  timeoutMs: number,
): Promise<{ readonly failure: string | null; readonly hasMoved: boolean }> {
  // git does not get the lock's descriptor, because helpers that it leaves running must not hold the lock.
  const options = repository.git({ signal: held.signal }, { timeoutMs });
  const { failure, text } = await askRemote(['ls-remote', 'origin', `refs/heads/${repository.branch}`], options);
  const theirs = text.split(/\s/)[0] ?? '';
  // A remote without this branch is empty, so there is nothing to follow.
  return { failure, hasMoved: theirs !== '' && theirs !== (await repository.remoteHead(held)) };
}

/**
 * Fetches to a separate ref that no writer reads, so it needs no lock.
 *
 * @returns the error, if any.
 */
export function fetchToStagingRef(repository: Repository, ref: string, signal: AbortSignal): Promise<string | null> {
  return fetchTo(repository, ref, { signal, timeoutMs: FETCH_TIMEOUT_MS });
}

async function fetchTo(
  repository: Repository,
  ref: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<string | null> {
  // Without `--refmap=`, the fetch would also move the remote-tracking branch.
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--refmap='];
  const refspec = `+refs/heads/${repository.branch}:${ref}`;
  return (await askRemote(['fetch', ...quiet, 'origin', refspec], repository.git({ signal }, { timeoutMs }))).failure;
}

/** Makes one exchange with the remote. It returns the output, or git's error in one line. */
async function askRemote(
  args: readonly string[],
  options: GitOptions,
): Promise<{ readonly text: string; readonly failure: string | null }> {
  try {
    const answer = await git(args, { ...options, ownGroup: true });
    return { text: answer.stdout.toString('utf8'), failure: answer.code === 0 ? null : lastWords(answer.stderr) };
  } catch (error) {
    if (!isAishError(error, 'knowledge_git')) throw error;
    return { text: '', failure: error.message };
  }
}

function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|ssh|remote):/i.test(line));
  return withoutSecrets(lines[0] ?? stderr.trim().split('\n').at(-1) ?? 'no reason given')
    .replace(/^(?:fatal|error): /, '')
    .slice(0, 300);
}
